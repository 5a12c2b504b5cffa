// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialCoreDataNames

// The models of the two tutorials, in Core Data's words.

@Managed final class Commit: NSManagedObject {
  @Unique var sha: String
  var message: String
  var url: String = ""
  @Indexed var date: Date
  var author: Author?

  static func createFetchRequest() -> NSFetchRequest<Commit> {
    NSFetchRequest<Commit>(entityName: "Commit")
  }
}

@Managed final class Author: NSManagedObject {
  @Indexed var name: String
  var email: String = ""
  var commits: ToMany<Commit>

  static func createFetchRequest() -> NSFetchRequest<Author> {
    NSFetchRequest<Author>(entityName: "Author")
  }
}

@Managed final class FamilyMember: NSManagedObject {
  var name: String
  var movies: ToMany<Movie>
}

@Managed final class Movie: NSManagedObject {
  var title: String
  var popularity: Double?
  @Relationship(inverse: "movies") var familyMembers: ToMany<FamilyMember>
}

/// Makes a context over a store in memory with four commits of two authors.
func makeCommits() throws -> NSManagedObjectContext {
  let container = try NSPersistentContainer.inMemory(Commit.self, Author.self)
  let context = container.newBackgroundContext()
  context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
  let groff = Author(context: context)
  groff.name = "Joe Groff"
  let other = Author(context: context)
  other.name = "Ada"
  let messages = [
    "I fixed a bug in Swift", "Merge pull request 1", "Fix the parser", "Add a test",
  ]
  for (number, message) in messages.enumerated() {
    let commit = Commit(context: context)
    commit.sha = "\(number)"
    commit.message = message
    commit.date = Date().addingTimeInterval(Double(number - 4) * 20_000)
    commit.author = number == 2 ? groff : other
  }
  try context.save()
  return context
}
