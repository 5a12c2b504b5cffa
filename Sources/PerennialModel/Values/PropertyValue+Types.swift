// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension AttributeType {
  /// Whether values of the type are numbers or dates, which can have bounds.
  package var hasOrder: Bool {
    switch self {
    case .int16, .int32, .int64, .decimal, .double, .float, .date: true
    default: false
    }
  }

  /// Whether a value is of this type; integers of any width.
  package func accepts(_ value: PropertyValue) -> Bool {
    switch (self, value) {
    case (_, .null): true
    case (.int16, .integer(let value)): Int16(exactly: value) != nil
    case (.int32, .integer(let value)): Int32(exactly: value) != nil
    case (.int64, .integer), (.bool, .boolean), (.string, .string), (.date, .date): true
    case (.binaryData, .data), (.transformable, .data), (.uuid, .uuid), (.url, .url): true
    case (.decimal, .decimal), (.decimal, .integer), (.double, .double), (.double, .integer): true
    case (.float, .double), (.float, .integer), (.objectID, .objectID): true
    case (.undefined, .data): true
    default: false
    }
  }
}

extension PropertyValue {
  /// The value that an attribute of a type has when a model or a caller gives it this one: a number
  /// of a Float attribute is rounded to 32 bits, as a `Float` is.
  ///
  /// What stores hold is read as it is.
  ///
  /// - Parameter type: The attribute's type.
  /// - Returns: The value; `nil` when it is not of the type, or too large a number for a Float.
  package func rounded(to type: AttributeType) -> PropertyValue? {
    guard type.accepts(self) else { return nil }
    switch self {
    case .integer(let number) where type == .float: return .double(Double(Float(number)))
    case .double(let number) where type == .float:
      let rounded = Float(number)
      return rounded.isInfinite && number.isFinite ? nil : .double(Double(rounded))
    default: return self
    }
  }
}

extension AttributeDescription {
  /// The attribute with its default and its bounds as its type has them; they must be of its type.
  func withRoundedValues() -> AttributeDescription {
    var attribute = self
    attribute.defaultValue = defaultValue.rounded(to: type) ?? defaultValue
    attribute.validation.minimum = validation.minimum.rounded(to: type) ?? validation.minimum
    attribute.validation.maximum = validation.maximum.rounded(to: type) ?? validation.maximum
    attribute.elements = elements.map { $0.withRoundedValues() }
    return attribute
  }
}
