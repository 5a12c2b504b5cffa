// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// How Swift source is generated from a model.
public struct SwiftOptions: Sendable, Hashable {
  /// The access level of what is generated.
  public enum Access: String, Sendable, Hashable, CaseIterable {
    /// Within the module; no access level is written.
    case `internal`
    /// Within the package.
    case package
    /// Everywhere.
    case `public`
  }

  /// What is generated for every entity; `nil` for what the model says about each.
  public var codeGeneration: CodeGeneration?
  /// The access level of what is generated.
  public var access: Access
  /// Whether the classes lie in an enum named after the model, so that two models of a target may have entities
  /// of the same name.
  public var usesNamespace: Bool

  /// Makes options.
  ///
  /// - Parameters:
  ///   - codeGeneration: What is generated for every entity; `nil` for what the model says about each, or the
  ///     whole class where it says nothing.
  ///   - access: The access level of what is generated.
  ///   - usesNamespace: Whether the classes lie in an enum named after the model.
  public init(
    codeGeneration: CodeGeneration? = nil,
    access: Access = .internal,
    usesNamespace: Bool = false
  ) {
    self.codeGeneration = codeGeneration
    self.access = access
    self.usesNamespace = usesNamespace
  }
}
