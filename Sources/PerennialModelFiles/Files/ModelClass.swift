// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a model file says of the class of an entity's objects.
public struct ModelClass: Sendable, Hashable {
  /// The class's name, or `nil` for none of its own.
  ///
  /// A point before it stands for the module.
  ///
  /// Core Data: `NSEntityDescription.managedObjectClassName`.
  public var name: String?
  /// What source code is written for it.
  public var codeGeneration: CodeGeneration
}
