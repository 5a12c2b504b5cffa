// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Perennial
import PerennialPostgres

/// Samples in comments and in the article PostgreSQLStore.
///
/// There is no such server, so they are compiled only.
private enum CommentSamples {
  @Managed final class Book: ManagedObject {
    var title: String
    var writer: Writer?
  }

  @Managed final class Writer: ManagedObject {
    var name: String
    var books: ToMany<Book>
  }

  static func open(_ url: URL) throws {
    // postgres://ada@db.example/library?sslmode=verify-full
    var store = StoreDescription.postgres(url)
    store.remoteChangeInterval = .seconds(30)
    store.historyTracking = true
    _ = store
  }

  static func openLibrary(_ url: URL) throws {
    var store = StoreDescription.postgres(url)
    store.remoteChangeInterval = .seconds(30)
    store.historyTracking = true
    let container = try PersistentContainer(
      name: "Library",
      entities: Book.self,
      Writer.self,
      store: store
    )
    _ = container
  }

  static func openPlain(_ url: URL) {
    let store = StoreDescription.postgres(url, names: .plain)
    // CREATE TABLE "commit" ("id" bigint PRIMARY KEY, "version" bigint, "author_id" bigint, "created_at" …)
    _ = store
  }
}
#endif
