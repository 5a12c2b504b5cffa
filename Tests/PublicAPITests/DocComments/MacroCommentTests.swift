// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

// Samples in the comments of the macros. Their classes have the names that the comments give them, each in a scope.

private enum Tracker {
  @Managed final class Commit: ManagedObject {
    @Unique var sha: String
    var message: String
    @Indexed var date: Date
    var author: Author?
  }

  @Managed(unique: ["repository", "number"], indexes: ["state", "date"])
  final class Ticket: ManagedObject {
    var repository: String
    var number: Int
    var state: String = "open"
    var date: Date
  }

  @Managed final class Author: ManagedObject {
    var name: String
    var commits: ToMany<Commit>
  }
}

private enum Completed {
  @Managed final class Commit: ManagedObject {
    @Unique var sha: String

    private static func completeEntity(_ entity: inout EntityDescription) {
      entity.userInfo = ["label": "Commits"]
      entity.changeAttribute("sha") { $0.versionHashModifier = "2" }
    }
  }
}

private enum People {
  @Composite struct Address {
    enum Kind: String, Codable { case home, work }

    var city: String?
    @Attribute(maximumLength: 5) var zip: String?
    var kind: Kind = .home
  }

  @Managed final class Person: ManagedObject {
    var name: String
    var address: Address?
  }
}

private enum Marked {
  @Managed final class Author: ManagedObject {
    @Relationship(inverse: "author", deleteRule: .cascade) var commits: ToMany<Commit>
    @Attribute(renamedFrom: "msg") var message: String
    @Attribute(external: true) var photo: Data?
    @Attribute(minimum: 0, maximum: 10) var rating: Double
    @Attribute(minimumLength: 40, maximumLength: 40, pattern: "[0-9a-f]*") var sha: String
    @Attribute(validation: [.init("SELF != 'root'", message: "Choose another name.")]) var name:
      String
    @Attribute(derived: "commits.@count") var commitCount: Int
  }

  @Managed final class Commit: ManagedObject {
    @Relationship(optional: false) var author: Author?
    @Unique var sha: String
    @Indexed var date: Date
    @Transient var isSelected: Bool = false
  }
}

private enum ByKeyPath {
  @Managed final class Commit: ManagedObject {
    @Relationship(inverse: \Author.commits) var author: Author?
  }

  @Managed final class Author: ManagedObject {
    var name: String
    var commits: ToMany<Commit>
  }
}

private enum Films {
  @Managed final class Person: ManagedObject {
    var name: String
    var films: ToMany<Film>
  }

  @Managed final class Film: ManagedObject {
    var year: Int
    var people: ToMany<Person>
  }

  static func find(_ word: String) -> FetchRequest<Person> {
    var request = Person.all
    request.predicate = #FetchPredicate(
      Person.self,
      "name CONTAINS[c] \(word) AND ANY films.year > 2000"
    )
    return request
  }
}

@Suite("Samples in comments: macros")
struct MacroCommentTests {
  @Test func `the entities are a model`() throws {
    for entities in [
      [Tracker.Commit.entity, Tracker.Ticket.entity, Tracker.Author.entity],
      [Completed.Commit.entity], [People.Person.entity],
      [Marked.Author.entity, Marked.Commit.entity],
      [ByKeyPath.Commit.entity, ByKeyPath.Author.entity],
      [Films.Person.entity, Films.Film.entity],
    ] {
      #expect(try ManagedObjectModel(entities: entities).entities.count == entities.count)
    }
    #expect(Completed.Commit.entity.userInfo["label"] == "Commits")
  }

  @Test func `a composite value is set and fetched by its elements`() throws {
    let container = try PersistentContainer(
      name: "People",
      entities: People.Person.self,
      store: .inMemory
    )
    let context = container.newBackgroundContext()
    typealias Person = People.Person
    typealias Address = People.Address
    let person = Person(context: context)
    person.name = "Ada"

    person.address = Address(city: "Ulm")
    person.address?.zip = "89073"
    let found =
      try context.fetch(Person.filter { $0.address.city == "Ulm" }.sorted(by: \.address, \.zip))

    #expect(found == [person])
  }

  @Test func `a checked format finds people with films`() throws {
    let container = try PersistentContainer(
      name: "Films",
      entities: Films.Person.self,
      Films.Film.self,
      store: .inMemory
    )
    let context = container.newBackgroundContext()
    let film = Films.Film(context: context)
    film.year = 2008
    let person = Films.Person(context: context)
    person.name = "Ada"
    person.films = [film]
    #expect(try context.fetch(Films.find("AD")) == [person])
    film.year = 1999
    #expect(try context.fetch(Films.find("AD")) == [])
  }
}
