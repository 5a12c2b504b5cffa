// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

@testable import PerennialGraph

/// Lists of results written as section names and object names, without a store.
///
/// A name has the same ID in every list.
final class SampleLists {
  typealias Sections = [(name: String, objects: [String])]

  private let naming: ObjectNaming
  private var keys: [String: Int64] = [:]

  init() throws {
    let model = try ManagedObjectModel(
      EntityDescription("Item", properties: [.attribute("name", .string)])
    )
    let stores = StoreNaming(UUID())
    naming = ObjectNaming(model.layout, stores, ObjectIDMaker(model.layout, stores))
  }

  func reference(_ name: String) -> ObjectReference {
    let key = keys[name] ?? Int64(keys.count + 1)
    keys[name] = key
    return ObjectReference(key: key, entity: 0)
  }

  func id(_ name: String) -> ManagedObjectID { naming.id(of: reference(name)) }

  func references(_ names: some Sequence<String>) -> Set<ObjectReference> {
    Set(names.map { reference($0) })
  }

  func list(_ sections: Sections) -> ResultsList {
    Self.list(sections.map { ($0.name, $0.objects.map { reference($0) }) }, naming)
  }

  /// A list without a section key path.
  func list(_ objects: String...) -> ResultsList { list([("", objects)]) }

  func change(
    _ old: Sections,
    _ new: Sections,
    changed: [String] = []
  ) -> ResultsChange {
    ResultsDifference.change(from: list(old), to: list(new), changed: references(changed))
  }

  func list(ofKeys sections: [(name: String, keys: [Int64])]) -> ResultsList {
    Self.list(
      sections.map { ($0.name, $0.keys.map { ObjectReference(key: $0, entity: 0) }) },
      naming
    )
  }

  private static func list(
    _ sections: [(String, [ObjectReference])],
    _ naming: ObjectNaming
  ) -> ResultsList {
    var list = ResultsList(naming: naming)
    for (name, references) in sections {
      let start = list.references.count
      list.references += references
      list.sections.append(.init(name: name, range: start..<list.references.count))
    }
    return list
  }
}
