// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The key of an object and some flags share a word, so that the flags cost no room.

extension ManagedObject {
  /// How many low bits of `_bits` are flags.
  @inline(__always) static var flagCount: Int64 { 3 }

  /// What is noted of an object beside its key.
  enum Flag: Int64 {
    /// Its context observes: a getter tells the registrar.
    case isObserved = 1
    /// It was fetched, and `awakeFromFetch` has not been called yet.
    case awaitsAwakening = 2
    /// Another context's save has deleted its row, and this context was told. Without changes of its
    /// own the object is a deleted one.
    case isGone = 4
  }

  /// The key: positive when stored, negative until then; it has at most 48 bits.
  @inline(__always)
  final var _key: Int64 {
    get { _bits >> Self.flagCount }
    set { _bits = newValue << Self.flagCount | _bits & (1 << Self.flagCount - 1) }
  }

  @inline(__always)
  final func has(_ flag: Flag) -> Bool { _bits & flag.rawValue != 0 }

  @inline(__always)
  final func set(_ flag: Flag, _ value: Bool) {
    _bits = value ? _bits | flag.rawValue : _bits & ~flag.rawValue
  }
}
