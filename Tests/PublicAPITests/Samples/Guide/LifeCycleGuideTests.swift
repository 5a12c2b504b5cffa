// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

@Managed final class Essay: ManagedObject {
  enum Refusal: Error { case empty }

  var text: String = ""
  var begun: Date
  var wordCount: Int = 0
  @Transient var heading: String = ""

  override func awakeFromInsert() { begun = .now }

  override func awakeFromFetch() { heading = String(text.prefix { $0 != "\n" }) }

  override func willSave() {
    if !isDeleted { wordCount = text.split(whereSeparator: \.isWhitespace).count }
  }

  override func validateForUpdate() throws {
    try super.validateForUpdate()
    if text.isEmpty { throw Refusal.empty }
  }
}

/// What the article LifeCycleAndUndo says, over all stores.
@Suite("Guide: life cycle and undo")
struct LifeCycleGuideTests {
  private struct Desk {
    let container: PersistentContainer
    private let folder: TemporaryFolder

    init(_ kind: StoreKind) throws {
      folder = try TemporaryFolder()
      container = try PersistentContainer(
        name: "Desk",
        entities: Essay.self,
        store: kind.description(in: folder)
      )
    }

    /// Saves an essay in a context, and gives it.
    func essay(_ text: String, in context: ManagedObjectContext) throws -> Essay {
      let essay = Essay(context: context)
      essay.text = text
      try context.save()
      return essay
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `hooks set values, and refuse them`(_ kind: StoreKind) throws {
    let desk = try Desk(kind)
    let context = desk.container.newBackgroundContext()
    let before = Date.now
    let essay = try desk.essay("On rain\nand snow", in: context)
    #expect(essay.begun >= before)
    #expect(essay.wordCount == 4)

    let reader = desk.container.newBackgroundContext()
    let copy = try #require(try reader.first(Essay.all))
    #expect(copy.heading == "On rain")
    #expect(!reader.hasChanges)

    essay.text = ""
    let error = try failure { try context.save() }
    #expect(error.code == .validation)
    #expect(error.underlying is Essay.Refusal)
    #expect(essay.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `a save tells in the order of the article`(_ kind: StoreKind) throws {
    let desk = try Desk(kind)
    let context = desk.container.newBackgroundContext()
    var lines: [String] = []
    let tokens = [
      context.onObjectsDidChange { _ in lines.append("changed") },
      context.onWillSave { lines.append("will save") },
      context.onDidSave { _ in lines.append("saved") },
      context.onDidSaveObjectIDs { _ in lines.append("saved IDs") },
    ]
    let essay = try desk.essay("On rain", in: context)
    #expect(lines == ["changed", "will save", "changed", "saved", "saved IDs"])

    lines = []
    essay.text = ""
    _ = try failure { try context.save() }
    #expect(lines == ["changed", "will save", "changed"])
    for token in tokens { token.cancel() }
    context.rollback()
    #expect(lines.count == 3)
  }

  @Test(arguments: StoreKind.allCases)
  func `a token keeps the callbacks coming`(_ kind: StoreKind) throws {
    let desk = try Desk(kind)
    let context = desk.container.newBackgroundContext()
    var texts: [String] = []
    let token = context.onObjectsDidChange { changes in
      texts += changes.inserted.compactMap { ($0 as? Essay)?.text }
    }
    _ = try desk.essay("On rain", in: context)
    #expect(texts == ["On rain"])
    token.cancel()
    _ = try desk.essay("On snow", in: context)
    #expect(texts == ["On rain"])
  }

  @Test(arguments: StoreKind.allCases)
  func `refresh, rollback and reset do what the table says`(_ kind: StoreKind) throws {
    let desk = try Desk(kind)
    let context = desk.container.newBackgroundContext()
    let essay = try desk.essay("On rain", in: context)

    essay.text = "On snow"
    context.refresh(essay, mergeChanges: true)
    #expect(essay.text == "On snow" && essay.hasChanges)
    context.refresh(essay, mergeChanges: false)
    #expect(essay.isFault && !context.hasChanges)
    #expect(essay.text == "On rain")

    essay.text = "On snow"
    let new = Essay(context: context)
    context.refreshAllObjects()
    #expect(essay.text == "On snow" && new.isInserted)
    context.rollback()
    #expect(essay.text == "On rain" && essay.managedObjectContext === context)
    #expect(new.managedObjectContext == nil)

    context.reset()
    #expect(essay.text == "On rain" && essay.managedObjectContext == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `a group is undone and made again at once`(_ kind: StoreKind) throws {
    let desk = try Desk(kind)
    let context = desk.container.newBackgroundContext()
    let essay = try desk.essay("On rain", in: context)

    let manager = ContextUndoManager()
    context.undoManager = manager
    manager.levelsOfUndo = 20

    manager.beginUndoGrouping()
    essay.text = "On rain, and snow"
    let sequel = Essay(context: context)
    sequel.text = "On hail"
    manager.endUndoGrouping()
    manager.setActionName("Write On")

    context.undo()

    #expect(essay.text == "On rain" && sequel.managedObjectContext == nil)
    #expect(manager.redoActionName == "Write On" && !manager.canUndo)

    context.redo()

    #expect(essay.text == "On rain, and snow" && sequel.text == "On hail")
    try context.save()
    #expect(try context.count(for: Essay.all) == 2)

    context.undo()
    #expect(context.hasChanges)
    try context.save()
    #expect(try context.fetch(Essay.all).map(\.text) == ["On rain"])

    context.rollback()
    #expect(!manager.canUndo && !manager.canRedo)
  }
}
