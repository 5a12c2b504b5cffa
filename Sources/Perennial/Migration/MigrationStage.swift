// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// A step from one version of a model to the next.
///
/// Core Data: `NSMigrationStage`, `NSLightweightMigrationStage` and `NSCustomMigrationStage`.
public struct MigrationStage: Sendable {
  /// The model that the step begins with.
  public let source: ManagedObjectModel
  /// The model that it ends with.
  public let destination: ManagedObjectModel
  /// What the step is called in the log.
  public let label: String
  let body: (@Sendable (MigrationManager) throws -> Void)?

  /// A step whose changes are inferred.
  ///
  /// - Parameters:
  ///   - source: The model that it begins with.
  ///   - destination: The model that it ends with.
  ///   - label: What it is called in the log.
  /// - Returns: The step.
  public static func lightweight(
    from source: ManagedObjectModel,
    to destination: ManagedObjectModel,
    label: String = ""
  ) -> Self {
    Self(source: source, destination: destination, label: label, body: nil)
  }

  /// A step with code of the program's own.
  ///
  /// What can be inferred is done before the closure is called. The closure sees the store as it was and as it is
  /// going to be. What it changes is saved after it returns; it may also save by itself.
  ///
  /// - Parameters:
  ///   - source: The model that it begins with.
  ///   - destination: The model that it ends with.
  ///   - label: What it is called in the log.
  ///   - body: Does what cannot be inferred. If it throws a `PerennialError`, opening the store throws that;
  ///     another error is `underlying` of `migration` (134110). The store is then as it was.
  /// - Returns: The step.
  public static func custom(
    from source: ManagedObjectModel,
    to destination: ManagedObjectModel,
    label: String = "",
    _ body: @escaping @Sendable (MigrationManager) throws -> Void
  ) -> Self {
    Self(source: source, destination: destination, label: label, body: body)
  }
}
