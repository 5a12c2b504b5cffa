// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension PerennialError {
  /// An entity that the model does not have.
  package static func unknownEntity(_ name: String, known: [String]) -> PerennialError {
    PerennialError(
      .unknownName,
      "The model has no entity '\(name)'.",
      recovery: suggestion(for: name, among: known),
      entity: name
    )
  }

  /// A property that the entity does not have.
  package static func unknownProperty(_ name: String, of entity: EntityLayout) -> PerennialError {
    PerennialError(
      .unknownName,
      "'\(entity.name)' has no property '\(name)'.",
      recovery: suggestion(for: name, among: entity.propertyNames),
      entity: entity.name,
      property: name
    )
  }

  /// A model that is not valid.
  package static func invalidModel(
    _ message: String,
    _ recovery: String,
    entity: String? = nil,
    property: String? = nil
  ) -> PerennialError {
    PerennialError(
      .invalidModel,
      message,
      recovery: recovery,
      entity: entity,
      property: property
    )
  }

  /// A name that two entities have.
  static func repeatedEntity(_ name: String) -> PerennialError {
    .invalidModel(
      "Two entities are called '\(name)' (upper and lower case do not count).",
      "rename one of them",
      entity: name
    )
  }

  /// "did you mean …?" when one name is near, else the list of names.
  package static func suggestion(for name: String, among known: [String]) -> String {
    if let near = nearest(to: name, among: known) { return "did you mean '\(near)'?" }
    if known.isEmpty { return "there are none" }
    let names = known.sorted()
    let more = names.count > 50 ? " and \(names.count - 50) more" : ""
    return "use one of: " + names.prefix(50).joined(separator: ", ") + more
  }

  /// The name at the smallest edit distance, when that is at most a third of the length.
  package static func nearest(to name: String, among known: [String]) -> String? {
    let wanted = Array(name.lowercased())
    let scored = known.map { ($0, distance(wanted, Array($0.lowercased()))) }
    guard let best = scored.min(by: { $0.1 < $1.1 }), best.1 <= max(1, wanted.count / 3) else {
      return nil
    }
    return best.0
  }

  /// The Levenshtein distance.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var previous = Array(0...right.count)
    for (row, a) in left.enumerated() {
      var current = [row + 1]
      for (column, b) in right.enumerated() {
        current.append(
          min(previous[column + 1] + 1, current[column] + 1, previous[column] + (a == b ? 0 : 1))
        )
      }
      previous = current
    }
    return previous[right.count]
  }
}
