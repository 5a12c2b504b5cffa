// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// How many elements the composites of a model file come to, one in another: ten composites of ten
/// attributes each may stand for more than any machine holds.
struct CompositeSizes {
  /// How many elements the composites and the attributes made of them may have.
  static let elementLimit = 100_000
  /// Composites may lie in one another so many deep.
  static let deepest = 16

  /// By the composites' names; no more than the limit.
  private var sizes: [String: Int] = [:]

  init(_ composites: [String: XMLElement]) {
    // As deep as they may lie, every pass adds a level.
    for _ in 0..<Self.deepest where !composites.isEmpty {
      sizes = composites.mapValues(size)
    }
  }

  /// The elements of the attributes in an element.
  private func size(_ owner: XMLElement) -> Int {
    owner.children.reduce(0) { sum, child in
      guard child.name == "attribute" else { return sum }
      let own = child.attributes["composite"].flatMap { sizes[$0] } ?? 0
      return min(sum + 1 + own, Self.elementLimit + 1)
    }
  }

  /// Refuses a model whose composites have too many elements.
  ///
  /// - Throws: `invalidModel`.
  func check(_ root: XMLElement) throws(PerennialError) {
    var count = 0
    for entity in root.children(named: "entity") {
      for child in entity.children where child.name == "attribute" {
        count += child.attributes["composite"].flatMap { sizes[$0] } ?? 0
      }
    }
    count += sizes.values.reduce(0, +)
    guard count > Self.elementLimit else { return }
    throw .invalidModel(
      "The composites of the model have over \(Self.elementLimit) elements, one in another.",
      "make composites of fewer others"
    )
  }
}
