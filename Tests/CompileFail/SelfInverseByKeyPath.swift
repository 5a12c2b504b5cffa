// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A relationship names itself by a key path: the compiler says "circular reference", the macro what to write.
// expect: 'friends' is its own inverse, which a key path cannot say; write 'inverse: "friends"'

import Perennial

@Managed final class Person: ManagedObject {
  @Relationship(inverse: \Person.friends) var friends: ToMany<Person>
}
