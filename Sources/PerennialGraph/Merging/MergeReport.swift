// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// What a context's merge policy did about the conflicts of a save: for every conflict and property,
/// whose value was taken and why.
///
/// A report holds names and IDs, never values; `print(report)` shows it.
public struct MergeReport: Sendable, Hashable {
  /// Whose value a property has now.
  public enum Source: String, Sendable, Hashable {
    /// This context's, or the newcomer's.
    case ours
    /// The stored one, or the survivor's.
    case stored
    /// Both: they are equal, or a to-many relationship was united.
    case both
  }

  /// Why a value was taken.
  public enum Reason: String, Sendable, Hashable {
    /// Only this context had changed it.
    case changedHereOnly = "changed here only"
    /// Only somebody else had changed it.
    case changedElsewhereOnly = "changed elsewhere only"
    /// Both sides changed it to the same value.
    case equalValues = "changed to the same value"
    /// Both sides changed it, or both have a value: the policy decides.
    case policy = "the policy decides"
    /// It was assigned to the newcomer, and the policy lets assigned values win.
    case assigned = "assigned to the newcomer"
    /// It was assigned to the survivor later than to the newcomer.
    case assignedLater = "assigned later to the survivor"
    /// It was never assigned to the newcomer.
    case neverAssigned = "never assigned to the newcomer"
    /// The survivor has no value.
    case survivorIsEmpty = "empty in the survivor"
    /// The members of both are in the relationship.
    case united = "members united"
    /// Setting it back ends the conflict of unique values.
    case constraint = "unique values are set back"
  }

  /// What became of one property.
  public struct Choice: Sendable, Hashable, CustomStringConvertible {
    /// The property's name.
    public let property: String
    /// Whose value it has now.
    public let source: Source
    /// Why.
    public let reason: Reason

    /// "name: ours (changed here only)".
    public var description: String { "\(property): \(source) (\(reason.rawValue))" }
  }

  /// What kind of conflict it was.
  public enum Kind: Sendable, Hashable {
    /// The row had another version than expected.
    case version
    /// Two objects had the same values of these properties, which are unique.
    case constraint([String])
  }

  /// What became of the object.
  public enum Outcome: String, Sendable, Hashable {
    /// It has values as ``Entry/choices`` say.
    case merged
    /// The row was deleted elsewhere, and will be stored again.
    case storedAgain = "stored again"
    /// The row was deleted elsewhere, and the object is gone.
    case gone
    /// The object was deleted here and stays so.
    case staysDeleted = "stays deleted"
    /// The object was deleted here and came back.
    case cameBack = "came back"
    /// Another object was absorbed: it forwards to this one.
    case absorbed = "absorbed another"
  }

  /// One conflict.
  public struct Entry: Sendable, Hashable {
    /// The ID of the object, or of the survivor; temporary if it had not been saved before.
    public let objectID: ManagedObjectID
    /// The former ID of the object that now forwards to this one; `nil` when there is none.
    public let absorbedID: ManagedObjectID?
    /// The kind of conflict.
    public let kind: Kind
    /// The policy that was applied; for a custom one, the policy that its closure gave.
    public let policy: MergePolicy
    /// What became of the object.
    public let outcome: Outcome
    /// The properties that anything was decided about, in the order of the entity.
    public let choices: [Choice]

    /// The choice about a property.
    ///
    /// - Parameter property: The property's name; `address.city` for an element of a composite attribute.
    /// - Returns: The choice; `nil` when there was nothing to decide, or there is no such property.
    /// - Complexity: Linear in the number of choices.
    public func choice(for property: String) -> Choice? {
      choices.first { $0.property == property }
    }
  }

  /// The conflicts in the order in which they were resolved.
  public internal(set) var entries: [Entry] = []
  /// How many more conflicts were resolved; a report has at most 10,000 entries.
  public internal(set) var omittedCount = 0

  static let entryLimit = 10_000
}

extension MergeReport: CustomStringConvertible {
  /// One line for each conflict, and one for each property.
  public var description: String {
    let more = omittedCount > 0 ? ["and \(omittedCount) more"] : []
    return (entries.map(\.description) + more).joined(separator: "\n")
  }
}

extension MergeReport.Entry: CustomStringConvertible {
  /// The object, the conflict, the policy and what became of it; then a line for each property.
  public var description: String {
    var cause = "changed elsewhere"
    if case .constraint(let names) = kind { cause = "unique \(names.joined(separator: ", "))" }
    var line = "\(objectID): \(cause), \(policy): \(outcome.rawValue)"
    if let absorbedID { line += " (\(absorbedID))" }
    return ([line] + choices.map { "  \($0)" }).joined(separator: "\n")
  }
}
