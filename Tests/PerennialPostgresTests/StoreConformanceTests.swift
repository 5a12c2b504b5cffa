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

  @Test func `every behaviour is run`() {
    for store in [Self.store, Self.plainStore] {
      #expect(store.behaviours.count == StoreBehaviour.all.count)
      #expect(store.exceptions.isEmpty)
    }
  }
}
#endif
