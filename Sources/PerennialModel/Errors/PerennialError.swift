// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Everything that can go wrong, as one value.
///
/// ``code`` is Core Data's number where Core Data has one. ``message`` and ``recovery`` name the entity and the
/// property and say what to do; they never contain a value from the store. Match a family of codes with a
/// pattern:
///
/// ```swift
/// do {
///   try context.save()
/// } catch PerennialError.validation {
///   context.rollback()
/// }
/// ```
public struct PerennialError: Error, Sendable {
  /// What went wrong, as a number.
  public let code: Code
  /// What went wrong, in one sentence.
  public let message: String
  /// What to do about it, in one sentence; empty when there is nothing to do.
  public let recovery: String
  /// The name of the entity concerned.
  public var entity: String?
  /// The name of the property concerned.
  public var property: String?
  /// The object concerned.
  public var objectID: ManagedObjectID?
  /// The single errors, when this one lists several.
  ///
  /// This is so for ``Code/multipleErrors``, for conflicts, for a model with several mistakes
  /// (``Code/invalidModel``), and for a store of another model (``Code/incompatibleVersionHash``).
  public var problems: [PerennialError]
  /// What a save conflicts with, when ``code`` is ``Code/managedObjectMerge`` or
  /// ``Code/managedObjectConstraintMerge``.
  ///
  /// Core Data: `userInfo["conflictList"]`.
  public package(set) var conflicts: [SavingConflict] = []
  /// The error of a lower layer that caused this one.
  public var underlying: (any Error)?
  /// Whether ``description`` quotes ``underlying``: the error of the program's own code, which alone knows what it
  /// may say.
  package var quotesUnderlying = false

  package init(
    _ code: Code,
    _ message: String,
    recovery: String = "",
    entity: String? = nil,
    property: String? = nil,
    objectID: ManagedObjectID? = nil,
    problems: [PerennialError] = [],
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.recovery = recovery
    self.entity = entity
    self.property = property
    self.objectID = objectID
    self.problems = problems
    self.underlying = underlying
  }
}

extension PerennialError: CustomStringConvertible {
  /// How many problems a description lists.
  private static let describedCount = 20

  /// The family and the message, the object, the code, the cause and the cure, on up to five lines, and then
  /// the first 20 problems with their objects.
  ///
  /// The cause is an error that the program's own code, a check or a store, has thrown; no other one is quoted.
  public var description: String {
    var lines = ["PerennialError.\(code.family): \(message)"]
    if let objectID { lines.append("  object: \(objectID)") }
    lines.append("  code: \(code.rawValue)")
    if quotesUnderlying, let underlying { lines.append("  cause: \(underlying)") }
    if !recovery.isEmpty { lines.append("  fix: \(recovery)") }
    for problem in problems.prefix(Self.describedCount) {
      lines.append("  - \(problem.message)" + (problem.objectID.map { " (\($0))" } ?? ""))
    }
    let rest = problems.count - Self.describedCount
    if rest > 0 { lines.append("  - and \(rest) more, in 'problems'") }
    return lines.joined(separator: "\n")
  }
}
