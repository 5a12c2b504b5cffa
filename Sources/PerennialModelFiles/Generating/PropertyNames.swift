// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The names of the variables of a class or a composite type: those of the model, but for names that
/// would not compile, which get an underscore at the end.
struct PropertyNames {
  private var byProperty: [String: String] = [:]
  private var taken: Set<String> = []

  /// Names properties, after those of a superclass.
  ///
  /// - Parameters:
  ///   - properties: The names of the properties.
  ///   - parent: The names in the superclass, if there is one.
  ///   - reserved: Names that none may have.
  init(_ properties: [String], after parent: PropertyNames? = nil, reserved: Set<String>) {
    taken = parent?.taken ?? []
    func isFree(_ name: String) -> Bool {
      SwiftName.isName(name) && !reserved.contains(name) && !taken.contains(name)
    }
    // Names that need no change come first, so that a changed one does not take them.
    for property in properties where isFree(property) {
      byProperty[property] = property
      taken.insert(property)
    }
    for property in properties where byProperty[property] == nil {
      var name =
        SwiftName.isName(property)
        ? property + "_" : SwiftName.name(of: property, isCapital: false)
      while !isFree(name) { name += "_" }
      byProperty[property] = name
      taken.insert(name)
    }
  }

  /// The name of a property.
  subscript(property: String) -> String { byProperty[property] ?? property }
}
