// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The key of an object and three flags share a word, so that the flags cost no room. An object that
// has left its context keeps there, above the key, which store it came from and whether its row is
// gone: bit 63 gone │ 12 bits store number │ 48 bits key │ 3 bits flags.

import PerennialModel

extension ManagedObject {
  /// How many low bits of `_bits` are flags.
  @inline(__always) static var flagCount: Int64 { 3 }

  /// The bits of the flags.
  @inline(__always) private static var flagMask: Int64 { 1 << flagCount - 1 }

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

  /// Whether nobody has let go of the object for the last time: while its `deinit` runs, nothing may
  /// hold it any more.
  final var isAlive: Bool {
    weak let object = self
    return object != nil
  }

  /// The key: positive when stored, negative until then; it has at most 48 bits.
  @inline(__always)
  final var _key: Int64 {
    get { (_bits << 13) >> 16 }
    set { _bits = newValue << Self.flagCount | _bits & Self.flagMask }
  }

  /// Takes the object out of its context; it keeps its ID and what it reads.
  ///
  /// The row must be set, and the identity map must not find the object any more. An object that has
  /// left already may leave again.
  final func _leave(_ context: ManagedObjectContext, isGone: Bool) {
    if has(.isObserved) { context.notices.observation?.forget(self) }
    let number =
      _home == nil
      ? _storeNumber : context.coordinator.storeNumber.held(for: context.coordinator.store)
    let key = (_key & 0xFFFF_FFFF_FFFF) << Self.flagCount
    _bits = (isGone ? Int64.min : 0) | number << 51 | key | _bits & Self.flagMask
    _home = nil
  }

  /// Puts an object that has left, and that the identity map finds again, back into its context.
  ///
  /// Safe because a context that goes takes its objects out before its homes.
  final func _return(to home: UnsafeMutablePointer<EntityHome>) {
    StoreNumber.release(_storeNumber)
    _key = _key
    _home = home
  }

  /// The number of the store that an object that has left came from: see ``StoreNumber``.
  final var _storeNumber: Int64 { (_bits >> 51) & StoreNumber.limit }

  /// The ID that the object had in the context that it has left.
  final var _formerID: ManagedObjectID {
    let entity = _row.map(PackedRow.entity) ?? 0
    return StoreNumber.objectID(number: _storeNumber, entity: entity, key: _key)
      ?? ManagedObjectID(entityName: Self.entityName, owner: .none, key: _key)
  }

  @inline(__always)
  final func has(_ flag: Flag) -> Bool { _bits & flag.rawValue != 0 }

  @inline(__always)
  final func set(_ flag: Flag, _ value: Bool) {
    _bits = value ? _bits | flag.rawValue : _bits & ~flag.rawValue
  }
}
