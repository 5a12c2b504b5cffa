// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialModel
import PerennialPostgres
import PerennialStore
import Testing

@Suite("Descriptions of PostgreSQL stores")
struct DescriptionTests {
  @Test func `the sample of the documentation compiles, and no password is shown`() throws {
    let url = try #require(URL(string: "postgres://ada:secret@db.example/library?pool=2"))
    var store = StoreDescription.postgres(url)
    store.remoteChangeInterval = .seconds(30)
    store.historyTracking = true
    #expect(store.url?.absoluteString == "postgres://ada@db.example/library?pool=2")
    #expect(!String(reflecting: store).contains("secret"))
    #expect(store.server?.name == "PostgreSQL")
  }

  @Test(
    arguments: [
      "file:///tmp/a.sqlite", "https://db.example/library", "postgres://db.example/library?pol=2",
      "postgres://ada:secret@db.example:0/library",
    ]
  )
  func `a URL that names no database is refused when the store is opened`(text: String) throws {
    let store = StoreDescription.postgres(try #require(URL(string: text)))
    let model = try ManagedObjectModel(EntityDescription("Note", properties: []))
    let error = try #require(throws: PerennialError.self) {
      _ = try store.server?.open(store, model.layout, .quiet)
    }
    #expect(error.code == .persistentStoreOpen)
    #expect(!error.description.contains("secret"))
  }
}
#endif
