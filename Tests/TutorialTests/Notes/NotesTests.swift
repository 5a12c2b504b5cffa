// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import Testing

@Managed final class Note: ManagedObject {
  var text: String
  @Indexed var updatedAt: Date
}

/// The notes tutorial: the note that was edited last is on top.
@Suite("The notes tutorial")
@MainActor
struct NotesTests {
  /// The screen of the notes: a list, and a message when there is nothing to list.
  @MainActor
  private final class NotesScreen {
    let container: PersistentContainer
    let list: ListScreen<Note>
    private(set) var emptyMessage: String?
    private let folder: TemporaryFolder
    private var clock = 0.0

    init(_ kind: StoreKind, _ texts: String...) throws {
      folder = try TemporaryFolder()
      container = try PersistentContainer(
        name: "Notes",
        entities: Note.self,
        store: kind.description(in: folder)
      )
      let controller = FetchedResultsController(
        fetchRequest: Note.sorted(by: \.updatedAt, .reverse),
        managedObjectContext: container.viewContext
      )
      list = try ListScreen(controller) { $0.text }
      list.afterChange = { [weak self] in self?.showMessage() }
      showMessage()
      for text in texts { try addNote(text) }
      _ = list.takeReports()
    }

    private func showMessage() {
      emptyMessage = list.texts.isEmpty ? "No notes yet." : nil
    }

    func addNote(_ text: String) throws {
      try save {
        let note = Note(context: container.viewContext)
        note.text = text
        note.updatedAt = tick()
      }
    }

    func edit(_ row: Int, _ text: String, touching: Bool = true) throws {
      try save {
        let note = list.controller.object(at: [0, row])
        note.text = text
        if touching { note.updatedAt = tick() }
      }
    }

    func delete(_ row: Int) throws {
      try save { container.viewContext.delete(list.controller.object(at: [0, row])) }
    }

    private func save(_ body: () throws -> Void) throws {
      try container.viewContext.persist(body)
    }

    private func tick() -> Date {
      clock += 1
      return moment(clock)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the newest note is on top`(_ kind: StoreKind) throws {
    let screen = try NotesScreen(kind, "one", "two", "three")
    #expect(screen.list.texts == ["three", "two", "one"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a new note is inserted on top`(_ kind: StoreKind) throws {
    let screen = try NotesScreen(kind, "one", "two")
    try screen.addNote("three")
    #expect(screen.list.takeReports() == ["begin", "insert three - 0.0", "end"])
    #expect(screen.list.texts == ["three", "two", "one"])
  }

  @Test(arguments: StoreKind.allCases)
  func `an edited note moves to the top`(_ kind: StoreKind) throws {
    let screen = try NotesScreen(kind, "one", "two", "three")
    try screen.edit(2, "one, edited")
    #expect(screen.list.takeReports() == ["begin", "move one, edited 0.2 0.0", "end"])
    #expect(screen.list.texts == ["one, edited", "three", "two"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a note that is edited on top configures its cell`(_ kind: StoreKind) throws {
    let screen = try NotesScreen(kind, "one", "two")
    try screen.edit(0, "two, edited")
    #expect(screen.list.takeReports() == ["begin", "update two, edited 0.0 0.0", "end"])
    #expect(screen.list.texts == ["two, edited", "one"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a correction that keeps the date configures the cell where it is`(
    _ kind: StoreKind
  ) throws {
    let screen = try NotesScreen(kind, "one", "two", "three")
    try screen.edit(1, "too", touching: false)
    #expect(screen.list.takeReports() == ["begin", "update too 0.1 0.1", "end"])
    #expect(screen.list.texts == ["three", "too", "one"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a deleted note leaves the list`(_ kind: StoreKind) throws {
    let screen = try NotesScreen(kind, "one", "two", "three")
    try screen.delete(1)
    #expect(screen.list.takeReports() == ["begin", "delete 0.1 -", "end"])
    #expect(screen.list.texts == ["three", "one"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a message shows when the last note goes, and hides when one comes`(
    _ kind: StoreKind
  ) throws {
    let screen = try NotesScreen(kind)
    #expect(screen.emptyMessage == "No notes yet.")
    try screen.addNote("one")
    #expect(screen.emptyMessage == nil)
    try screen.delete(0)
    #expect(screen.list.texts.isEmpty)
    #expect(screen.emptyMessage == "No notes yet.")
  }
}
