// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Perennial
import PerennialPostgres
import PerennialTestKit
import Testing

/// A database of PostgreSQL against every behaviour of a store.
@Suite("Conformance of PostgreSQL", .needsServer)
struct StoreConformanceTests {
  private static let store = StoreUnderTest(
    "PostgreSQL",
    capabilities: [.durable, .history],
    refusesNUL: true
  ) {
    .postgres(try TestServer.emptySchema())
  }

  @Test(arguments: store.behaviours)
  func `a database is a store`(_ behaviour: StoreBehaviour) async throws {
    try await behaviour.run(on: Self.store)
  }

  /// The same in tables with other names.
  private static let plainStore = StoreUnderTest(
    "PostgreSQL with plain names",
    capabilities: [.durable, .history],
    refusesNUL: true
  ) {
    .postgres(try TestServer.emptySchema(), names: .plain)
  }

  @Test(arguments: plainStore.behaviours)
  func `a database with plain names is a store`(_ behaviour: StoreBehaviour) async throws {
    try await behaviour.run(on: Self.plainStore)
  }

  @Test func `every behaviour is run that is not about files or stores of one's own`() {
    for store in [Self.store, Self.plainStore] {
      let skipped = store.skipped
      #expect(
        Set(skipped.values)
          == ["It is about stores in files.", "It is about stores of one's own."]
      )
      #expect(skipped.count == 3)
      #expect(store.exceptions.isEmpty)
    }
  }
}
#endif
