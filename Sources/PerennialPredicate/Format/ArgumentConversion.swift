// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Turns the arguments of a predicate into constants.
enum ArgumentConversion {
  /// An argument that a predicate cannot hold.
  struct Unsupported: Error {
    /// The name of its type.
    let typeName: String
    /// Whether the type would do, but there are too many values.
    var isTooLong = false
  }

  /// How deeply collections may lie in each other.
  static let maximumDepth = 20

  /// The constant or list for an argument.
  static func expression(
    for argument: Any?,
    depth: Int = 0
  ) throws(Unsupported) -> ExpressionNode {
    if let argument, let usual = usual(argument) { return .constant(usual) }
    if let list = argument as? any AttributeList, list.count <= PredicateLimits.listCount {
      return .list(list.constants)
    }
    if let marker = argument as? FormatTemplate.Marker { return .variable(marker.name) }
    guard let value = unwrapped(argument) else { return .null }
    if let scalar = scalar(value) { return .constant(scalar) }
    guard depth < maximumDepth else { throw Unsupported(typeName: "\(type(of: value))") }
    if let list = value as? [Any] { return .list(try expressions(for: list, depth)) }
    if let set = value as? NSOrderedSet { return .list(try expressions(for: set.array, depth)) }
    if let set = value as? Set<AnyHashable> {
      return .list(sorted(try expressions(for: set.map(\.base), depth)))
    }
    if let dictionary = value as? [AnyHashable: Any] {
      return .list(sorted(try expressions(for: Array(dictionary.values), depth)))
    }
    if let raw = value as? any RawRepresentable {
      return try expression(for: raw.rawValue, depth: depth + 1)
    }
    if let view = value as? any PredicateListArgument {
      return try expression(for: view.predicateMembers, depth: depth)
    }
    if let collection = value as? any Collection {
      guard let members = members(of: collection) else {
        throw Unsupported(typeName: "\(type(of: value))", isTooLong: true)
      }
      let list = try expressions(for: members, depth)
      return .list(isOrdered(collection) ? list : sorted(list))
    }
    throw Unsupported(typeName: "\(type(of: value))")
  }

  /// The value of what arguments mostly are: their type alone tells.
  ///
  /// To look for protocols and bridged classes in whatever there may be takes a microsecond.
  private static func usual(_ value: Any) -> PropertyValue? {
    let type = type(of: value)
    if type == String.self, let text = value as? String { return .string(text) }
    if type == Int.self, let number = value as? Int { return .integer(Int64(number)) }
    return nil
  }

  private static func expressions(
    for values: [Any],
    _ depth: Int
  ) throws(Unsupported) -> [ExpressionNode] {
    guard values.count <= PredicateLimits.listCount else {
      throw Unsupported(typeName: "\(type(of: values))", isTooLong: true)
    }
    var expressions: [ExpressionNode] = []
    expressions.reserveCapacity(values.count)
    for value in values { expressions.append(try expression(for: value, depth: depth + 1)) }
    return expressions
  }

  /// The members of a collection, `nil` for too many: a range can be longer than its count can say.
  static func members(of collection: some Collection) -> [Any]? {
    var members: [Any] = []
    for member in collection {
      guard members.count < PredicateLimits.listCount else { return nil }
      members.append(member)
    }
    return members
  }

  /// Whether a collection's order means something; the keys of a dictionary have none.
  static func isOrdered(_ collection: any Collection) -> Bool {
    collection is any BidirectionalCollection
  }

  /// The members of an unordered collection in an order of their own, so that equal collections
  /// give equal predicates.
  private static func sorted(_ expressions: [ExpressionNode]) -> [ExpressionNode] {
    sorted(expressions) { $0 }
  }

  /// The members of an unordered collection in the order of what is written for each.
  static func sorted<Member>(
    _ members: [Member],
    by expression: (Member) -> ExpressionNode
  ) -> [Member] {
    members.map { (FormatPrinter.text(of: expression($0)), $0) }
      .sorted { $0.0 < $1.0 }
      .map(\.1)
  }

  /// The value inside any number of optionals, or `nil` when there is none.
  static func unwrapped(_ value: Any?) -> Any? {
    var value = value
    while let current = value, let optional = current as? any OptionalValue {
      value = optional.wrappedValue
    }
    return value is NSNull ? nil : value
  }

  /// The value of a type that a property can have.
  static func scalar(_ value: Any) -> PropertyValue? {
    if let usual = usual(value) { return usual }
    // To find out that a list is no number, its elements would be bridged one by one.
    if value is any ListArgument { return nil }
    if let number = value as? NSNumber, type(of: value) is NSNumber.Type { return scalar(number) }
    return switch value {
    case let value as PropertyValue: value
    case let value as any PredicateArgument: value.predicateValue
    case let value as String: .string(value)
    case let value as Substring: .string(String(value))
    case let value as Bool: .boolean(value)
    case let value as any BinaryInteger: Int64(exactly: value).map { .integer($0) }
    case let value as Double: .double(value)
    case let value as any BinaryFloatingPoint: .double(Double(value))
    case let value as Decimal: .decimal(value)
    case let value as Date: .date(value)
    case let value as UUID: .uuid(value)
    case let value as URL: .url(value)
    case let value as Data: .data(value)
    case let value as ManagedObjectID: .objectID(value)
    default: nil
    }
  }

  /// The class of the boxes of truth values, whose numbers look like small integers.
  private static let booleanBox: NSNumber.Type = type(of: NSNumber(value: true))

  private static func scalar(_ number: NSNumber) -> PropertyValue? {
    if let decimal = number as? NSDecimalNumber { return .decimal(decimal.decimalValue) }
    if type(of: number) == booleanBox { return .boolean(number.boolValue) }
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "f"), UInt8(ascii: "d"): return .double(number.doubleValue)
    default: return Int64(exactly: number).map { .integer($0) }
    }
  }
}

extension ExpressionNode {
  /// The constant or list for a value, or `nil` when predicates cannot hold its type.
  package init?(argument: Any?) {
    guard let expression = try? ArgumentConversion.expression(for: argument) else { return nil }
    self = expression
  }
}

/// A collection that is no scalar, whatever its elements are.
private protocol ListArgument {}

extension Array: ListArgument {}
extension Set: ListArgument {}
extension Dictionary: ListArgument {}

/// A list whose elements need not be asked for their type one by one.
private protocol AttributeList {
  var count: Int { get }
  var constants: [ExpressionNode] { get }
}

extension Array: AttributeList where Element: AttributeValue {
  fileprivate var constants: [ExpressionNode] { map { .constant($0._propertyValue) } }
}

/// Any optional, whatever it wraps.
private protocol OptionalValue {
  var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var wrappedValue: Any? { self }
}
