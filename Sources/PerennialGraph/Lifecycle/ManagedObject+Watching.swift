// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension ManagedObject {
  /// Tells those who want to know that a slot was written.
  ///
  /// The one test of `EntityHome.isWatched` in `_store` leads here.
  @inline(never)
  final func _noteWrite(_ slot: Int) {
    guard let home = _home else { return }
    if home.pointee.isConstrained(slot) { home.pointee.noteKeyChange(of: self) }
    if let derivations = home.pointee.derivations,
      !home.pointee.context.lifecycle.isDeriving
    {
      _derive(after: slot, derivations)
    }
    guard home.pointee.watchesAll else { return }
    home.pointee.context.lifecycle.touch(self)
    home.pointee.context.noteHolder(self, slot)
  }
}
