// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Reads `<fetchRequest>` elements, of models and of fetched properties.
struct FetchRequestReader {
  /// What an element says of a fetch request.
  func template(
    _ element: XMLElement,
    named name: String,
    notes: inout [ModelDiagnostic]
  ) throws(PerennialError) -> FetchRequestTemplate {
    var reader = ElementReader(element, as: "the fetch request '\(name)'")
    guard let entity = reader.name("entity") else {
      throw .invalidModel(
        "Line \(element.line): the fetch request '\(name)' does not say what it fetches.",
        "give it an 'entity'"
      )
    }
    let includesSubentities = reader.name("includeSubentities").map { $0 != "NO" } ?? true
    let template = FetchRequestTemplate(
      name,
      entity: entity,
      predicate: reader.name("predicateString"),
      fetchLimit: max(0, reader.integer("fetchLimit") ?? 0),
      includesSubentities: includesSubentities
    )
    if let type = reader.name("resultType"), type != "0" {
      reader.note("its result type is left out: a template fetches objects")
    }
    if reader.flag("returnDistinctResults") {
      reader.note("'returnDistinctResults' is left out: objects are distinct")
    }
    if reader.name("includesPendingChanges") == "NO" {
      reader.note("'includesPendingChanges' is left out: unsaved changes count")
    }
    reader.ignore("fetchBatchSize", "includePropertyValues", "returnObjectsAsFaults")
    notes += reader.finish()
    return template
  }
}
