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
    // What a file of somebody who means harm has without end is not sorted, and not told.
    let names = known.prefix(1_000).sorted().prefix(50).map(shortened)
    let more = known.count > 50 ? " and \(known.count - 50) more" : ""
    return "use one of: " + names.joined(separator: ", ") + more
  }

  /// A name; of one that is longer than those that people write, the beginning.
  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > longestName else { return name }
    return String(name.unicodeScalars.prefix(100)) + "…"
  }

  /// How many bytes a name may have that somebody has mistyped.
  private static let longestName = 200

  /// The name at the smallest edit distance, when that is at most a third of the length.
  ///
  /// There is none for a name that is longer than those that people write, and none among so many names that looking
  /// at them would take its time: each takes as many steps as the square of the length.
  package static func nearest(to name: String, among known: [String]) -> String? {
    guard name.utf8.count <= longestName else { return nil }
    let wanted = Array(name.lowercased().unicodeScalars)
    guard wanted.count * wanted.count * known.count <= 10_000_000 else { return nil }
    let limit = max(1, wanted.count / 3)
    var best: (name: String, distance: Int)?
    for other in known where other.utf8.count <= 4 * (wanted.count + limit) {
      let letters = Array(other.lowercased().unicodeScalars)
      // The distance is at least that of the lengths.
      guard abs(letters.count - wanted.count) <= limit else { continue }
      let found = Slips.count(from: wanted, to: letters)
      if found <= limit, found < best?.distance ?? .max { best = (other, found) }
    }
    return best?.name
  }
}
