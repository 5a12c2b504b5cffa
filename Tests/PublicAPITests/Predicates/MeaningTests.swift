// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Where a `#Predicate` means something else in Swift than in a store: the stores' meaning holds, as the
/// documentation of `FetchPredicate.init(_:)` says.
@Suite("Meaning of #Predicate")
struct MeaningTests {
  @Test(arguments: StoreKind.allCases)
  func `the rules of the format language hold`(_ kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let context = store.container.newBackgroundContext()
    func pages(_ predicate: Predicate<Book>) throws -> Set<Int> {
      Set(try context.fetch(Book.all.filter(predicate)).map(\.pages))
    }

    let composed = try pages(#Predicate { $0.title == "\u{C9}p\u{E9}e" })
    let empty = try pages(#Predicate { $0.title.contains("") })
    let start = try pages(#Predicate { $0.title.starts(with: "") })
    let units = try pages(#Predicate { $0.title.count == 6 })

    #expect(composed == [200], "text is compared by its bytes")
    #expect(empty.isEmpty, "no text contains the empty text")
    #expect(start.isEmpty, "no text starts with the empty text")
    #expect(units == [0, 300], "a text's count is that of its UTF-16 units")
  }
}
