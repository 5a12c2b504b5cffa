// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// A set of references in the order of their addition; adding and removing take constant time.
struct OrderedReferences {
  private var references: [ObjectReference?] = []
  private var places: [Int64: Int] = [:]

  init() {}

  init(_ references: some Sequence<ObjectReference>) {
    for reference in references { append(reference) }
  }

  var count: Int { places.count }
  var isEmpty: Bool { places.isEmpty }
  /// The first reference.
  var first: ObjectReference? { references.lazy.compactMap { $0 }.first }
  /// The last reference.
  var last: ObjectReference? { references.lazy.reversed().compactMap { $0 }.first }
  var elements: [ObjectReference] { references.compactMap { $0 } }

  func contains(key: Int64) -> Bool { places[key] != nil }

  /// A number that is greater for later references; `nil` for one that is not in.
  func place(of key: Int64) -> Int? { places[key] }

  /// Adds a reference, unless it is in.
  mutating func append(_ reference: ObjectReference) {
    guard places[reference.key] == nil else { return }
    places[reference.key] = references.count
    references.append(reference)
  }

  /// Adds references in their order, but for those that are in.
  mutating func append(contentsOf others: OrderedReferences) {
    for reference in others.elements { append(reference) }
  }

  /// Removes a reference; `false` when it was not in.
  mutating func remove(key: Int64) -> Bool {
    guard let place = places.removeValue(forKey: key) else { return false }
    references[place] = nil
    if references.count > 32, places.count * 4 < references.count { compact() }
    return true
  }

  /// Gives the place of a reference to another one, which may be in already; `false` when it was not in.
  mutating func replace(key: Int64, with other: ObjectReference) -> Bool {
    guard let place = places.removeValue(forKey: key) else { return false }
    if let former = places[other.key] { references[former] = nil }
    places[other.key] = place
    references[place] = other
    return true
  }

  /// The same members under other keys; of two that become one the first stays.
  func translatingKeys(_ translate: (Int64) -> Int64) -> OrderedReferences {
    OrderedReferences(
      elements.map { ObjectReference(key: translate($0.key), entity: $0.entity) }
    )
  }

  private mutating func compact() {
    references = references.filter { $0 != nil }
    for (place, reference) in references.enumerated() {
      if let reference { places[reference.key] = place }
    }
  }
}
