// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Undo as an application uses it.
@Suite("Samples: undo")
struct UndoSampleTests {
  @Test(arguments: StoreKind.allCases)
  func `1D.7 an application undoes and redoes what the user did`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    let context = store.container.newBackgroundContext()
    context.undoManager = ContextUndoManager()
    let manager = try #require(context.undoManager)
    manager.levelsOfUndo = 20

    manager.beginUndoGrouping()
    let author = Author(context: context)
    author.name = "Joe Groff"
    let commit = Commit(context: context)
    (commit.sha, commit.message, commit.date, commit.author) = ("1", "Begin", .now, author)
    manager.endUndoGrouping()
    manager.setActionName("New Commit")
    try context.save()

    context.delete(commit)
    try context.save()
    context.undo()
    #expect(commit.message == "Begin" && commit.author === author)
    #expect(manager.undoActionName == "New Commit")
    context.undo()
    try context.save()
    #expect(try context.count(for: Commit.all) == 0)
    #expect(try context.count(for: Author.all) == 0)

    context.redo()
    #expect(Array(author.commits) == [commit])
    #expect(manager.canRedo)
    try context.save()
    #expect(try context.fetch(Commit.all) == [commit])
  }
}
