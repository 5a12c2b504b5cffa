// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

// The classes of `Library.xcdatamodeld` that are written by hand: one that the model says nothing is
// generated for, and those whose properties are in a generated base class.

@Managed("Loan") final class LoanRecord: ManagedObject {
  var until: Date
  @Relationship(inverse: "loans") var book: Book?
}

class Person: _Person {
  var greeting: String { "Hello, \(name ?? "stranger")" }
}

final class Member: _Member {
  override func awakeFromInsert() {
    super.awakeFromInsert()
    number = 1
  }
}

final class AudioBook: _AudioBook {
  /// Kept by the object, not by the store.
  var isPlaying = false

  var hours: Int { Int(minutes) / 60 }
}
