// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Whether a model may find the inverse of a relationship that names none.
///
/// It says how a model is made of a description, not what is described: it counts in no comparison, and is
/// encoded only where it is off.
struct InverseInferring: Sendable, Hashable, Codable {
  var isOn = true

  static func == (_: Self, _: Self) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

extension KeyedDecodingContainer {
  func decode(_ type: InverseInferring.Type, forKey key: Key) throws -> InverseInferring {
    try decodeIfPresent(type, forKey: key) ?? InverseInferring()
  }
}

extension KeyedEncodingContainer {
  mutating func encode(_ value: InverseInferring, forKey key: Key) throws {
    if !value.isOn { try encodeIfPresent(Optional(value), forKey: key) }
  }
}
