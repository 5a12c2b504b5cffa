// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The source code that is generated for an entity of a model file: "Codegen" in Xcode's inspector.
public enum CodeGeneration: String, Sendable, Hashable, Codable {
  /// Nothing: the class is written by hand.
  case manual = "none"
  /// The whole class.
  case classDefinition = "class"
  /// The properties only, in a base class; the class itself is written by hand.
  case categoryExtension = "category"
}
