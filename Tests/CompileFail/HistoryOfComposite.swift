// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The old value of a composite attribute is asked for as a whole: a warning says where its elements are.
// expect: history has the elements one by one: oldValues["address.city"]
// flags: -warnings-as-errors

import Perennial

@Composite struct Address {
  var city: String?
}

@Managed final class Reader: ManagedObject {
  var address: Address = Address()
}

func formerAddress(_ change: PersistentHistoryChange) -> Address? {
  change.oldValue(\Reader.address)
}
