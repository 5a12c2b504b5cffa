// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// How a context does the work of a batch request.
///
/// Such a context is made for one request. It has objects like any other, so that everything that a
/// save does holds for a batch: uniqueness constraints, delete rules, inverses, derived attributes,
/// all or nothing.
struct BatchMode {
  /// Whether objects are of the entities' classes; else they are of none, and no hook is called.
  var usesClasses = false
  /// Whether the save checks new and changed objects; a deletion it always checks.
  var validates = false
}
