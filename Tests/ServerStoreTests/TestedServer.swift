// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialStore
import ServerTesting

#if PostgreSQL
import PerennialPostgres
#endif

/// A server that tests run over, with a store of its own for everybody who has it.
struct TestedServer: Sendable {
  /// The description of a store on it.
  let description: StoreDescription
  /// The name of the kind of store.
  let type: String

  /// A new server in memory; where PostgreSQL is wanted, a new schema there.
  init() throws {
    #if PostgreSQL
    if ServerSchema.isWanted {
      description = .postgres(try ServerSchema.empty())
      type = "PostgreSQL"
      return
    }
    #endif
    description = FakeServer().description()
    type = "Fake"
  }
}
