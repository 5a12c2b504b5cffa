// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension AttributeType {
  /// The name that Xcode's editor and model files have for the type.
  package var words: String {
    switch self {
    case .undefined: "Undefined"
    case .int16: "Integer 16"
    case .int32: "Integer 32"
    case .int64: "Integer 64"
    case .decimal: "Decimal"
    case .double: "Double"
    case .float: "Float"
    case .string: "String"
    case .bool: "Boolean"
    case .date: "Date"
    case .binaryData: "Binary"
    case .uuid: "UUID"
    case .url: "URI"
    case .transformable: "Transformable"
    case .objectID: "Object ID"
    case .composite: "Composite"
    }
  }
}
