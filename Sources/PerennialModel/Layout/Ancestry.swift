// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Who inherits from whom, by name.
struct Ancestry {
  private let parents: [String: String]

  init(of entities: [EntityDescription]) {
    parents = Dictionary(
      entities.compactMap { entity in entity.parent.map { (entity.name, $0) } }
    ) { first, _ in first }
  }

  /// The names of an entity and its ancestors, also where they go in a circle.
  func names(from name: String) -> [String] {
    var names = [name]
    var visited: Set<String> = [name]
    while let next = parents[names[names.count - 1]], visited.insert(next).inserted {
      names.append(next)
    }
    return names
  }

  /// Whether one entity is the other, or an ancestor or a descendant of it.
  func areRelated(_ left: String, _ right: String) -> Bool {
    names(from: left).contains(right) || names(from: right).contains(left)
  }
}
