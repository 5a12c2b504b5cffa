// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

// The errors of values that are not allowed. Values themselves are never in a message.

extension PerennialError {
  /// A value that breaks a rule of its property.
  static func brokenRule(
    _ object: ManagedObject,
    _ property: String,
    _ code: Code
  ) -> PerennialError {
    let entity = object.entityDescription.name
    let name = "'\(entity).\(property)'"
    let (message, recovery): (String, String)
    switch code {
    case .numberTooSmall: (message, recovery) = ("\(name) is too small", "use a greater number")
    case .numberTooLarge: (message, recovery) = ("\(name) is too large", "use a smaller number")
    case .dateTooSoon: (message, recovery) = ("\(name) is too early", "use a later date")
    case .dateTooLate: (message, recovery) = ("\(name) is too late", "use an earlier date")
    case .stringTooShort: (message, recovery) = ("\(name) is too short", "use a longer value")
    case .stringTooLong: (message, recovery) = ("\(name) is too long", "use a shorter value")
    case .stringPatternMatching:
      (message, recovery) = ("\(name) does not match its pattern", "use a text that matches")
    default: (message, recovery) = ("\(name) is not allowed", "use another value")
    }
    return PerennialError(
      code,
      message + ".",
      recovery: recovery + ", or change the rule in the model",
      entity: entity,
      property: property,
      objectID: object.objectID
    )
  }

  /// A condition of the model that does not hold for a property.
  static func falseCondition(
    _ object: ManagedObject,
    _ property: String,
    _ message: String,
    _ cause: PerennialError?
  ) -> PerennialError {
    let entity = object.entityDescription.name
    let general = "'\(entity).\(property)' does not meet a condition of the model."
    return PerennialError(
      .validation,
      message.isEmpty ? general : message,
      recovery: "use another value, or change the condition in the model",
      entity: entity,
      property: property,
      objectID: object.objectID,
      underlying: cause
    )
  }

  /// A date that is no point in time.
  static func invalidDate(_ object: ManagedObject, _ property: String) -> PerennialError {
    let entity = object.entityDescription.name
    return PerennialError(
      .invalidDate,
      "'\(entity).\(property)' is no point in time.",
      recovery: "use another date, or make '\(property)' optional and use nil",
      entity: entity,
      property: property,
      objectID: object.objectID
    )
  }

  /// A URL whose text is none.
  static func invalidURL(_ object: ManagedObject, _ property: String) -> PerennialError {
    let entity = object.entityDescription.name
    return PerennialError(
      .invalidURI,
      "'\(entity).\(property)' is no URL.",
      recovery: "set it anew, or make '\(property)' optional and use nil",
      entity: entity,
      property: property,
      objectID: object.objectID
    )
  }

  /// An error that a class's own check threw.
  static func refused(
    _ object: ManagedObject,
    by function: String,
    _ error: any Error
  ) -> PerennialError {
    let entity = object.entityDescription.name
    var refusal = PerennialError(
      .validation,
      "An object of '\(entity)' was refused by its \(function).",
      recovery: "see the underlying error, which '\(entity)' throws",
      entity: entity,
      objectID: object.objectID,
      underlying: error
    )
    refusal.quotesUnderlying = true
    return refusal
  }
}
