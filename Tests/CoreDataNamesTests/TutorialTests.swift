// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialCoreDataNames
import Testing

/// The lines of the tutorials, letter by letter; only the import is another.
@Suite struct `The tutorials` {
  private var commitPredicate: NSPredicate?

  private func loadedMessages() throws -> Set<String> {
    let context = try makeCommits()
    var request = Commit.createFetchRequest()
    let sort = NSSortDescriptor(key: "date", ascending: false)
    request.sortDescriptors = [sort]
    request.predicate = commitPredicate
    return Set(try context.fetch(request).map(\.message))
  }

  @Test mutating func `show the commits with one message`() throws {
    commitPredicate = NSPredicate(format: "message == 'I fixed a bug in Swift'")
    #expect(try loadedMessages() == ["I fixed a bug in Swift"])
  }

  @Test mutating func `show the commits with the message of a variable`() throws {
    let filter = "I fixed a bug in Swift"
    commitPredicate = NSPredicate(format: "message == %@", filter)
    #expect(try loadedMessages() == ["I fixed a bug in Swift"])
  }

  @Test mutating func `show only fixes`() throws {
    self.commitPredicate = NSPredicate(format: "message CONTAINS[c] 'fix'")
    #expect(try loadedMessages() == ["I fixed a bug in Swift", "Fix the parser"])
  }

  @Test mutating func `ignore pull requests`() throws {
    self.commitPredicate = NSPredicate(format: "NOT message BEGINSWITH 'Merge pull request'")
    #expect(try loadedMessages() == ["I fixed a bug in Swift", "Fix the parser", "Add a test"])
  }

  @Test mutating func `show only recent commits`() throws {
    let twelveHoursAgo = Date().addingTimeInterval(-43200)
    self.commitPredicate = NSPredicate(format: "date > %@", twelveHoursAgo as NSDate)
    #expect(try loadedMessages() == ["Fix the parser", "Add a test"])
  }

  @Test mutating func `show only one author's commits`() throws {
    self.commitPredicate = NSPredicate(format: "author.name == 'Joe Groff'")
    #expect(try loadedMessages() == ["Fix the parser"])
  }

  @Test mutating func `show all commits`() throws {
    self.commitPredicate = nil
    #expect(try loadedMessages().count == 4)
  }

  @Test func `find the author of a commit`() throws {
    let context = try makeCommits()
    var authorRequest = Author.createFetchRequest()
    authorRequest.predicate = NSPredicate(format: "name == %@", "Joe Groff")
    let authors = try context.fetch(authorRequest)
    #expect(authors.map(\.name) == ["Joe Groff"])
  }

  @Test func `find the newest commit`() throws {
    let context = try makeCommits()
    var newest = Commit.createFetchRequest()
    let sort = NSSortDescriptor(key: "date", ascending: false)
    newest.sortDescriptors = [sort]
    newest.fetchLimit = 1
    #expect(try context.fetch(newest).map(\.message) == ["Add a test"])
  }

  @Test func `filter a family by name`() throws {
    let container = try NSPersistentContainer.inMemory(FamilyMember.self, Movie.self)
    let moc = container.newBackgroundContext()
    for name in ["Zoé", "Zoe", "Max"] { FamilyMember(context: moc).name = name }
    var request = NSFetchRequest<FamilyMember>(entityName: "FamilyMember")
    request.predicate = NSPredicate(format: "name CONTAINS[n] %@", "oe")
    #expect(try moc.fetch(request).map(\.name) == ["Zoe"])

    let first = NSPredicate(format: "name BEGINSWITH[c] %@", "z")
    let second = NSPredicate(format: "name == %@", "Max")
    request.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: [first, second])
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    #expect(try moc.fetch(request).map(\.name) == ["Max", "Zoe", "Zoé"])
  }

  @Test func `name a row by section and row`() {
    let path = IndexPath(row: 2, section: 1)
    #expect(path.row == 2)
    #expect(path.item == 2)
    #expect(path.section == 1)
    #expect(path == IndexPath(item: 2, section: 1))
  }

  @Test func `insert an object by the name of its entity`() throws {
    let container = try NSPersistentContainer.inMemory(Commit.self, Author.self)
    let moc = container.newBackgroundContext()
    let author = try NSEntityDescription.insertNewObject(forEntityName: "Author", into: moc)
    try author.setValue("Joe Groff", forKey: "name")
    #expect((author as? Author)?.name == "Joe Groff")
    let error = #expect(throws: PerennialError.self) {
      try NSEntityDescription.insertNewObject(forEntityName: "Nobody", into: moc)
    }
    #expect(error?.code == .unknownName)

    let entity = NSEntityDescription.entity(forEntityName: "Author", in: moc)
    #expect(entity?.name == "Author")
    #expect(entity?.properties.map(\.name) == ["name", "email", "commits"])
    #expect(NSEntityDescription.entity(forEntityName: "Nobody", in: moc) == nil)
  }

  @Test func `set an attribute to nil, and write an ID as a URI`() throws {
    let container = try NSPersistentContainer.inMemory(FamilyMember.self, Movie.self)
    let moc = container.newBackgroundContext()
    let movie = Movie(context: moc)
    movie.title = "Paddington"
    movie.popularity = 5
    try moc.save()
    try movie.setValue(nil, forKey: "popularity")
    #expect(movie.popularity == nil)
    #expect(moc.hasChanges)

    let uri: URL = movie.objectID.uriRepresentation()
    let same = movie.objectID.uriRepresentation
    #expect(uri == same)
    #expect(NSManagedObjectID(uriRepresentation: uri) == movie.objectID)
  }
}
