// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import PerennialTestKit
import Testing

/// That the suite is whole, and that it notices what it should.
@Suite("Compliance")
struct ComplianceTests {
  @Test func `behaviours have names of their own that begin with a row of the specification`() {
    let names = StoreBehaviour.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.count >= 300)
    for name in names { #expect(name.prefixMatch(of: #/1[A-M]\.[0-9]+ /#) != nil, "\(name)") }
  }

  @Test(arguments: Stores.all)
  func `every behaviour is run, or left out for a reason`(_ store: StoreUnderTest) {
    let run = Set(store.behaviours.map(\.name))
    let skipped = store.skipped
    #expect(run.isDisjoint(with: skipped.keys))
    #expect(run.union(skipped.keys) == Set(StoreBehaviour.all.map(\.name)))
    #expect(skipped.values.allSatisfy { !$0.isEmpty })
    #expect(Set(store.exceptions.keys).isSubset(of: StoreBehaviour.all.map(\.name)))
  }

  @Test(
    arguments: [
      (
        EngineStore.Fault.dropsEveryOtherSave,
        [
          "1D.3 save: every one of twenty saves is stored",
          "1I.1 containers: deletions and changes outlive the process",
        ]
      ),
      (
        .ignoresSorts,
        [
          "1G.2 sorts: by name, then name", "1G.3 limit 3 and offset 2",
          "1G.2 sorts: by age, then name",
        ]
      ),
      (
        .forgetsVersions,
        [
          "1M.1 lock conflicts: the error policy refuses the save (133020)",
          "1M.2 constraint conflicts: the error policy refuses the save (133021)",
        ]
      ),
    ]
  )
  func `a broken store fails`(_ fault: EngineStore.Fault, _ expected: [String]) async {
    let store = Stores.broken(fault)
    var failed: Set<String> = []
    // Those that look at single values and conditions would only take time.
    let behaviours = store.behaviours.filter {
      !$0.name.hasPrefix("1A.5 ") && !$0.name.hasPrefix("1G.2 predicates")
    }
    for behaviour in behaviours {
      do {
        try await behaviour.run(on: store)
      } catch {
        failed.insert(behaviour.name)
      }
    }
    #expect(failed.isSuperset(of: expected))
    #expect(failed.count < behaviours.count)
  }

  @Test(
    arguments: [
      (
        EngineStore.Fault.losesElements,
        "1I.1 containers: everything is there at the next opening"
      ),
      (.losesSalaries, "1I.1 containers: everything is there at the next opening"),
      (.losesFriends, "1I.1 containers: everything is there at the next opening"),
      (.losesBatches, "1H.3 batches: what each has done outlives the process"),
      (.losesInsertionsBesideUpdates, "1A.5 attribute types: int16 keeps 0"),
    ]
  )
  func `a store that loses something is noticed`(
    _ fault: EngineStore.Fault,
    _ name: String
  ) async throws {
    let behaviour = try #require(StoreBehaviour.all.first { $0.name == name })
    try await behaviour.run(on: Stores.engine)
    let store = Stores.broken(fault)
    await #expect(throws: BehaviourFailure.self) { try await behaviour.run(on: store) }
  }

  @Test func `behaviours that are not about a store are left out, and the reason says so`() {
    let ownStores = StoreBehaviour.all.map(\.name).filter { $0.hasSuffix(" is made again") }
    #expect(ownStores.count == 2)
    for name in ownStores {
      #expect(Stores.sqlite.skipped[name] == "It is about stores of one's own.")
      #expect(Stores.csv.skipped[name] == nil)
    }
    let inFiles =
      "1I.3 metadata: of a store in a file, they are read and written without opening it"
    #expect(Stores.csv.skipped[inFiles] == "It is about stores in files.")
    #expect(Stores.json.skipped[inFiles] == nil)
  }
}
