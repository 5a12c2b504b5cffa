// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A value as one of a type, or `nil` when it is of another one, though it could be converted.
///
/// `as?` looks for conversions, which takes longer than to store a value.
func exactly<Value, Result>(_ value: Value, as type: Result.Type) -> Result? {
  // Safe because the types are the same.
  Value.self == type ? unsafeBitCast(value, to: type) : nil
}
