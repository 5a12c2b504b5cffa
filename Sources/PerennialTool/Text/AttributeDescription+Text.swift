// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension AttributeDescription {
  /// The type, with a question mark when there may be no value.
  var typeText: String { type.words + (isOptional ? "?" : "") }

  /// What else is to be known of it, in words.
  var notes: [String] {
    var notes: [String] = []
    if !defaultValue.isNull { notes.append("default \(defaultValue.line)") }
    if isTransient { notes.append("transient") }
    if let derivationExpression { notes.append("derived: \(derivationExpression)") }
    if allowsExternalBinaryDataStorage { notes.append("external") }
    if preservesValueInHistoryOnDeletion { notes.append("kept in history") }
    if let valueTransformerName { notes.append("transformer \(valueTransformerName)") }
    if let renamingIdentifier { notes.append("formerly \(renamingIdentifier)") }
    if !elements.isEmpty {
      let parts = elements.map { "\($0.name): \($0.typeText)" }
      notes.append("of \(parts.joined(separator: ", "))")
    }
    return notes
  }
}

extension RelationshipDescription {
  /// Where it leads to: `Author`, `Author?`, `[Book]` with its order.
  var typeText: String {
    if isToMany { return isOrdered ? "ordered [\(destinationEntity)]" : "[\(destinationEntity)]" }
    return destinationEntity + (isOptional ? "?" : "")
  }

  /// What else is to be known of it, in words.
  var notes: [String] {
    var notes = [inverse.map { "inverse \($0)" } ?? "no inverse", deleteRule.title]
    if minimumCount > 0 { notes.append("at least \(minimumCount)") }
    if isToMany, maximumCount > 0 { notes.append("at most \(maximumCount)") }
    if let renamingIdentifier { notes.append("formerly \(renamingIdentifier)") }
    return notes
  }
}

extension DeleteRule {
  /// The rule as Xcode's editor calls it, in small letters.
  var title: String {
    switch self {
    case .noAction: "no action"
    case .nullify: "nullify"
    case .cascade: "cascade"
    case .deny: "deny"
    }
  }
}
