// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import Testing

@Suite("Models that are made once", .serialized)
struct RecentModelsTests {
  private func entity(_ name: String) -> EntityDescription {
    EntityDescription(name, properties: [.attribute("name", .string)])
  }

  @Test func `equal descriptions have one model, others have their own`() throws {
    let first = try ManagedObjectModel.shared([entity("RecentA")])
    #expect(try ManagedObjectModel.shared([entity("RecentA")]).layout === first.layout)
    let other = try ManagedObjectModel.shared([entity("RecentB")])
    #expect(other.layout !== first.layout)
    #expect(other.layout.entitiesByName.keys.sorted() == ["RecentB"])
  }

  @Test func `a model that has been forgotten is made again`() throws {
    let first = try ManagedObjectModel.shared([entity("RecentC")])
    for number in 0..<50 { _ = try ManagedObjectModel.shared([entity("Recent\(number)")]) }
    let again = try ManagedObjectModel.shared([entity("RecentC")])
    #expect(again.layout !== first.layout)
    #expect(again.layout.versionHashes == first.layout.versionHashes)
  }

  @Test func `descriptions whose inverses are not to be found have a model of their own`() throws {
    func author(inferring: Bool) throws -> RelationshipDescription {
      var author = RelationshipDescription("author", to: "RecentAuthor")
      author.infersInverse = inferring
      var books = RelationshipDescription("books", to: "RecentBook", isToMany: true)
      books.infersInverse = inferring
      let model = try ManagedObjectModel.shared([
        EntityDescription("RecentBook", properties: [.relationship(author)]),
        EntityDescription("RecentAuthor", properties: [.relationship(books)]),
      ])
      return try #require(
        model.relationships(of: "RecentBook", toDestination: "RecentAuthor").first
      )
    }
    #expect(try author(inferring: false).inverse == nil)
    #expect(try author(inferring: true).inverse == "books")
    #expect(try author(inferring: false).inverse == nil)
  }

  @Test func `what is wrong is said each time`() {
    for _ in 1...2 {
      #expect(throws: PerennialError.self) {
        try ManagedObjectModel.shared([entity("Twice"), entity("Twice")])
      }
    }
  }
}
