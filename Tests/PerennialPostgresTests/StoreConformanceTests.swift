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

  @Test func `every behaviour is run`() {
    #expect(Self.store.behaviours.count == StoreBehaviour.all.count)
    #expect(Self.store.exceptions.isEmpty)
  }
}
#endif
