// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

// Classes that the plug-in generates from a model file: public, in a target that is on the main actor by
// default and in which imports are internal by default.

/// The part of a generated class that is written by hand.
public nonisolated final class Author: _Author {
  public override func awakeFromInsert() {
    super.awakeFromInsert()
    name = "Joe"
    hash_ = 7
    home = Address(city: "Ulm")
  }
}

@main
struct GeneratedClasses {
  static func main() throws {
    let store = StoreDescription.sqlite(URL(filePath: CommandLine.arguments[1]))
    let container = try PersistentContainer(
      name: "Commits",
      model: CommitsModel.model(),
      classes: CommitsModel.entities,
      store: store
    )
    let context = container.viewContext
    let commit = Commit(context: context)
    commit.sha = "2f77f2fc"
    commit.message = "Fix a generated bug"
    commit.author = Author(context: context)
    try context.save()
    let found = try context.fetch(Commit.commitsBy(name: "Joe"))
    print(found.map { "\($0.message) in \($0.author?.home?.city ?? "")" }.joined())
  }
}
