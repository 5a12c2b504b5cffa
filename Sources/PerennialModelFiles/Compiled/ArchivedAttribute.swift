// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Reads archived `NSAttributeDescription`s.
struct ArchivedAttribute {
  let owner: String
  /// The bit of an attribute's flags that stands for external storage.
  let externalBit: Int64
  /// What is left out.
  private(set) var notes: [String] = []

  init(owner: String, externalBit: Int64) {
    self.owner = owner
    self.externalBit = externalBit
  }

  /// The bit that says that an attribute is kept in the history when its object is deleted.
  private static let preserves: Int64 = 16

  /// Composite attributes may have composite elements, so many deep.
  private static let deepest = 16

  /// The bits that may stand for external storage, the likeliest first.
  ///
  /// No archive of an attribute with external storage is known. Its version hash tells: with the right
  /// bit, the model has the hashes of its store.
  static func externalBits(in entities: ArchivedValue) -> [Int64] {
    var used: Int64 = 0
    for (_, entity) in entities.entries {
      for (_, property) in entity.entries("NSProperties") {
        guard let type = property["NSAttributeType"]?.integer, type == 1000 || type == 1800 else {
          continue
        }
        used |= property.integer("NSFlagsKey")
      }
    }
    let bits = (0..<16).map { Int64(1) << $0 }.filter { $0 != preserves && used & $0 != 0 }
    let likely: Int64 = 4
    return (bits.contains(likely) ? [likely] : []) + bits.filter { $0 != likely } + [0]
  }

  /// What an archive says of an attribute.
  mutating func attribute(
    _ value: ArchivedValue,
    named name: String,
    depth: Int = 0
  ) throws(PerennialError) -> AttributeDescription {
    let code = Int(clamping: value.integer("NSAttributeType"))
    guard let type = AttributeType(rawValue: code) else {
      throw .invalidModel(
        "'\(owner).\(name)' has the unknown type \(code).",
        "give the '.xcdatamodeld' that the model was made of",
        entity: owner,
        property: name
      )
    }
    let flags = value.integer("NSFlagsKey")
    let canBeExternal = type == .binaryData || type == .transformable
    var attribute = AttributeDescription(
      name,
      type,
      isOptional: value.isTrue("NSIsOptional"),
      isTransient: value.isTrue("NSIsTransient"),
      allowsExternalBinaryDataStorage: canBeExternal && flags & externalBit != 0,
      preservesValueInHistoryOnDeletion: flags & Self.preserves != 0,
      renamingIdentifier: CompiledEntityReader.renamingIdentifier(value, of: name),
      versionHashModifier: value["NSVersionHashModifier"]?.string,
      userInfo: CompiledEntityReader.userInfo(value)
    )
    attribute.valueTransformerName = value["NSValueTransformerName"]?.string
    if let expression = value["NSDerivationExpression"] {
      guard let text = ArchivedPredicate.derivation(expression) else {
        throw .invalidModel(
          "'\(owner).\(name)' is derived by an expression that is unknown.",
          "give the '.xcdatamodeld' that the model was made of",
          entity: owner,
          property: name
        )
      }
      attribute.derivationExpression = text
    }
    if type == .composite, depth < Self.deepest {
      for element in value.attributeElements {
        guard let name = element["NSPropertyName"]?.string else { continue }
        attribute.elements.append(try self.attribute(element, named: name, depth: depth + 1))
      }
    }
    if let archived = value["NSDefaultValue"] {
      if let value = archived.propertyValue(as: type) {
        attribute.defaultValue = value
      } else {
        notes.append("'\(owner).\(name)': its default is left out")
      }
    }
    attribute.validation = rules(value, of: name, type)
    return attribute
  }

  private mutating func rules(
    _ value: ArchivedValue,
    of name: String,
    _ type: AttributeType
  ) -> ValidationRules {
    var rules = ValidationRules()
    let messages = value.list("NSValidationWarnings")
    for (index, predicate) in value.list("NSValidationPredicates").enumerated() {
      guard let text = ArchivedPredicate.text(predicate) else {
        notes.append("'\(owner).\(name)': a condition of its validation is left out")
        continue
      }
      let message = messages.indices.contains(index) ? messages[index].string : nil
      rules.predicates.append(ValidationPredicate(text, message: message ?? ""))
    }
    return rules
  }
}

extension ArchivedValue {
  /// A default value of a type, or `nil` when it is none.
  fileprivate func propertyValue(as type: AttributeType) -> PropertyValue? {
    switch type {
    case .int16, .int32, .int64: integer.map { .integer($0) }
    case .bool: integer.map { .boolean($0 != 0) }
    case .double, .float: number.map { .double($0) }
    case .decimal: decimal.map { .decimal($0) }
    case .string: string.map { .string($0) }
    case .date:
      (seconds ?? self["NS.time"]?.number)
        .map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .binaryData: data.map { .data($0) }
    case .uuid: uuid.map { .uuid($0) }
    case .url: self["NS.relative"]?.string.flatMap { URL(string: $0) }.map { .url($0) }
    case .transformable, .undefined, .objectID, .composite: nil
    }
  }

  private var uuid: UUID? {
    guard let bytes = self["NS.uuidbytes"]?.data, bytes.count == 16 else { return nil }
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
      hex.dropFirst(range.lowerBound).prefix(range.count)
    }
    return UUID(uuidString: parts.joined(separator: "-"))
  }

  /// A number, or an `NSDecimalNumber`: eight digits of 16 bits at most, the least significant first.
  private var decimal: Decimal? {
    guard let mantissa = self["NS.mantissa"]?.data else { return number.map { Decimal($0) } }
    let isSwapped = self["NS.mantissa.bo"]?.integer == 2
    let bytes = Array(mantissa)
    guard bytes.count <= 16 else { return nil }
    var value = Decimal(0)
    for place in stride(from: bytes.count / 2 * 2 - 2, through: 0, by: -2) {
      let (low, high) = isSwapped ? (place + 1, place) : (place, place + 1)
      value = value * 65_536 + Decimal(Int(bytes[low]) | Int(bytes[high]) << 8)
    }
    let exponent = Int(clamping: integer("NS.exponent"))
    guard (-128...127).contains(exponent) else { return nil }
    let isNegative = isTrue("NS.negative")
    return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: value)
  }
}
