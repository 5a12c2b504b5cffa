// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a model file says about the class of an entity's objects.
public struct ModelClass: Sendable, Hashable {
  /// The name of the class; `nil` if the entity has no class of its own.
  ///
  /// A dot in front of the name stands for the module.
  ///
  /// Core Data: `NSEntityDescription.managedObjectClassName`.
  public var name: String?
  /// The source code that is generated for the class.
  public var codeGeneration: CodeGeneration
}
