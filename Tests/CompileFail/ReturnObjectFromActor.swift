// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// An actor hands out an object of its own context.
// expect: result can not be returned from actor-isolated instance method 'newest()'

import Perennial

actor Importer {
  private let context: ManagedObjectContext

  init(_ container: PersistentContainer) {
    context = container.newBackgroundContext()
  }

  func newest() throws -> Commit? {
    try context.first(Commit.all)
  }
}

func message(from importer: Importer) async throws -> String? {
  try await importer.newest()?.message
}
