// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The rules that the values of an attribute must meet before they are saved.
///
/// An absent value meets every rule: ``AttributeDescription/isOptional`` says whether a value is required.
/// Rules are not part of the version hash, so a store also opens with other rules than those it was written
/// with.
///
/// Core Data: `NSPropertyDescription.setValidationPredicates(_:withValidationWarnings:)`, and the
/// minimum, maximum and regular expression of the model editor.
public struct ValidationRules: Sendable, Hashable, Codable {
  /// The least number or the earliest date; `.null` for none (codes 1620 and 1640).
  public var minimum: PropertyValue
  /// The greatest number or the latest date; `.null` for none (codes 1610 and 1630).
  public var maximum: PropertyValue
  /// The least length: UTF-16 units of text, bytes of data (code 1670).
  public var minimumLength: Int?
  /// The greatest length: UTF-16 units of text, bytes of data (code 1660).
  public var maximumLength: Int?
  /// An ICU regular expression that the whole text must match (code 1680).
  public var pattern: String?
  /// Conditions on the value, which is `SELF` in them (code 1550).
  public var predicates: [ValidationPredicate]

  /// A set of rules: an empty one without arguments.
  ///
  /// - Parameters:
  ///   - minimum: The least number or the earliest date.
  ///   - maximum: The greatest number or the latest date.
  ///   - minimumLength: The least length of text or data.
  ///   - maximumLength: The greatest length of text or data.
  ///   - pattern: An ICU regular expression that the whole text must match.
  ///   - predicates: Conditions on the value, which is `SELF` in them.
  public init(
    minimum: PropertyValue = .null,
    maximum: PropertyValue = .null,
    minimumLength: Int? = nil,
    maximumLength: Int? = nil,
    pattern: String? = nil,
    predicates: [ValidationPredicate] = []
  ) {
    self.minimum = minimum
    self.maximum = maximum
    self.minimumLength = minimumLength
    self.maximumLength = maximumLength
    self.pattern = pattern
    self.predicates = predicates
  }

  /// Whether there are no rules.
  public var isEmpty: Bool { self == ValidationRules() }
}

/// A condition on the value of a property, in the format language, and the message when it is false.
///
/// ```swift
/// ValidationPredicate("SELF BEGINSWITH 'https:'", message: "The address must be a secure one.")
/// ```
///
/// `SELF` is the value: a number, a text, the object of a to-one relationship, or the objects of a to-many
/// relationship (`SELF.@count < 10`).
///
/// Core Data: `NSPropertyDescription.validationPredicates`.
public struct ValidationPredicate: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
  /// The condition's text; it is read when a store is opened with the model.
  public var format: String
  /// The error's message when the condition is false; empty for a general message.
  public var message: String

  /// A condition and its message.
  ///
  /// - Parameters:
  ///   - format: The condition's text.
  ///   - message: The error's message when the condition is false; empty for a general message.
  public init(_ format: String, message: String = "") {
    self.format = format
    self.message = message
  }

  /// A condition with a general message.
  ///
  /// - Parameter format: The condition's text.
  public init(stringLiteral format: String) { self.init(format) }
}
