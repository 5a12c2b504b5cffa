// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import Testing

@Suite("ARCHITECTURE 1: pages of which little is used")
struct SweepTests {
  @Test(arguments: StoreKind.allCases)
  func `few objects of many do not keep the rows of all`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 0)
    let count = 20_000
    do {
      let context = bench.context()
      for number in 0..<count {
        let commit = Commit(context: context)
        commit.sha = "sha \(number)"
        commit.message = "a message of some length, as commits have them, number \(number)"
      }
      try context.save()
    }
    let context = bench.context()
    var all = try context.fetch(Commit.all.sorted(by: FetchSort("date")))
    let kept = stride(from: 0, to: all.count, by: 256).map { all[$0] }
    let texts = kept.map { ($0.sha, $0.message) }
    kept[3].message = "edited"
    let layout = try bench.store.model.entity(named: "Commit")
    let before = context.heldByteCount
    all = []
    try context.processPendingChanges()
    let rowByteCount = before / count
    #expect(context.heldByteCount <= 3 * kept.count * rowByteCount + layout.slots.count * 8)
    for (place, commit) in kept.enumerated() {
      #expect(commit.sha == texts[place].0)
      #expect(commit.message == (place == 3 ? "edited" : texts[place].1))
    }
    context.rollback()
    #expect(kept[3].message == texts[3].1)
    kept[4].message = "saved"
    try context.save()
    #expect(try context.count(for: Commit.filter("message == 'saved'")) == 1)
  }
}
