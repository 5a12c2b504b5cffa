// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import RandomTesting

/// Everything that a program does with a store, again and again: what is stored stays as much.
final class SoakWork {
  private static let topicCount = 20
  private static let notesOfTopic = 30

  private let container: PersistentContainer
  private let editor: ManagedObjectContext
  private let follower: ManagedObjectContext
  private let list: FetchedResultsController<Note>
  private let listener = SoakListener()
  private var random: SeededGenerator
  private var nextNumber = 0
  private var nextQuestion = 0
  /// How many saves there were.
  private(set) var saveCount = 0
  /// How many changes the list has told of.
  var changeCount: Int { listener.changeCount }

  init(_ store: StoreDescription, seed: UInt64) throws {
    container = try .notebook(store)
    random = SeededGenerator(seed: seed)
    editor = container.newBackgroundContext()
    editor.automaticallyMergesChangesFromParent = true
    follower = container.newBackgroundContext()
    follower.automaticallyMergesChangesFromParent = true
    list = FetchedResultsController(
      fetchRequest: Note.filter("number < 500").sorted(by: \.text).batchSize(20),
      managedObjectContext: follower,
      sectionNameKeyPath: "topic.title"
    )
    list.delegate = listener
    for number in 0..<10 { Label(context: editor).name = "label \(number)" }
    for number in 0..<Self.topicCount {
      let topic = Topic(context: editor)
      topic.title = "topic \(number)"
      for _ in 0..<Self.notesOfTopic { try add(to: topic) }
    }
    try save(editor)
    try list.performFetch()
  }

  /// Some saves of each kind; afterwards nothing is pending, and no object is held.
  func round() throws {
    for _ in 0..<3 {
      try edit()
      try moveNotes()
      try replaceTopic()
      try conflict()
      try editInChild()
      try undo()
      try read()
      try search()
      try failToSave()
      try batch()
    }
    try forgetHistory()
    try follower.processPendingChanges()
    _ = list.fetchedObjects?.prefix(50).map(\.text)
    editor.reset()
    follower.refreshAllObjects()
  }

  private func save(_ context: ManagedObjectContext) throws {
    try context.save()
    saveCount += 1
    try follower.processPendingChanges()
  }

  @discardableResult private func add(to topic: Topic) throws -> Note {
    let context = try unwrapped(topic.managedObjectContext)
    let note = Note(context: context)
    nextNumber += 1
    (note.text, note.number, note.topic) = ("note \(nextNumber % 1000)", nextNumber % 1000, topic)
    if nextNumber % 20 == 0 { note.picture = Data(count: 20_000) }
    let label = try context.first(Label.filter("name == \("label \(nextNumber % 10)")"))
    if let label { note.labels.insert(label) }
    return note
  }

  private func topic(_ context: ManagedObjectContext) throws -> Topic {
    let number = Int.random(in: 0..<Self.topicCount, using: &random)
    return try unwrapped(context.first(Topic.filter("title == \("topic \(number)")")))
  }

  private func unwrapped<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw UsageError(message: "the notebook has lost something") }
    return value
  }

  private func edit() throws {
    for note in try topic(editor).notes.prefix(5) {
      note.number += 1
      note.text += "."
      if note.text.count > 40 { note.text = "note" }
    }
    try save(editor)
  }

  /// Notes go from topic to topic, so that sections come and go; their number stays.
  private func moveNotes() throws {
    let (from, to) = (try topic(editor), try topic(editor))
    guard from !== to else { return }
    for note in from.notes.prefix(2) { note.topic = to }
    for note in to.notes.prefix(2) { note.topic = from }
    try save(editor)
  }

  private func replaceTopic() throws {
    let topic = try topic(editor)
    let title = topic.title
    editor.delete(topic)
    try save(editor)
    let new = Topic(context: editor)
    new.title = title
    for _ in 0..<Self.notesOfTopic { try add(to: new) }
    try save(editor)
  }

  /// Two contexts change one object; the second wins, property by property.
  private func conflict() throws {
    let other = container.newBackgroundContext()
    other.mergePolicy = .mergeByPropertyObjectTrump
    let theirs = try topic(other)
    let note = try unwrapped(Array(theirs.notes).first)
    let ours = try unwrapped(try editor.existingObject(with: note.objectID) as? Note)
    note.number += 1
    ours.text = "ours"
    try save(editor)
    try save(other)
  }

  private func editInChild() throws {
    let child = ManagedObjectContext(parent: editor)
    for note in try topic(child).notes.prefix(3) { note.number -= 1 }
    try child.save()
    try save(editor)
  }

  private func undo() throws {
    let context = container.newBackgroundContext()
    context.undoManager = ContextUndoManager()
    let topic = try topic(context)
    try add(to: topic)
    try context.processPendingChanges()
    context.undo()
    context.redo()
    context.undo()
    context.rollback()
  }

  private func read() throws {
    let context = container.newBackgroundContext()
    for note in try context.fetch(Note.sorted(by: \.number).batchSize(50)) { _ = note.text }
    _ = try context.count(for: Note.filter("text CONTAINS[cd] 'OUR' OR labels.@count > 1"))
    for topic in try context.fetch(Topic.all.prefetching(\.notes)) {
      _ = topic.notes.reduce(0) { $0 + $1.number }
    }
  }

  /// Conditions that nobody has written before: their trees go, too, in memory and in the store.
  private func search() throws {
    let context = container.newBackgroundContext()
    for _ in 0..<20 {
      nextQuestion += 1
      let predicate = try FetchPredicate(
        parsing:
          "(text ENDSWITH[c] %@ OR number + 1 IN {\(nextQuestion), 2}) AND NOT text LIKE '\(nextQuestion)?'",
        arguments: ["\(nextQuestion)"]
      )
      let values: [String: any Sendable] = ["text": "a \(nextQuestion)", "number": 1]
      _ = try predicate.evaluate(with: values)
      _ = try context.count(for: Note.filter(predicate))
    }
  }

  /// A save that is refused leaves nothing behind either.
  private func failToSave() throws {
    let context = container.newBackgroundContext()
    Topic(context: context).title = "topic 1"
    do throws(any Error) {
      try context.save()
      throw UsageError(message: "two topics have one title")
    } catch {
      guard let error = error as? PerennialError, error.code == .managedObjectConstraintMerge else {
        throw error
      }
    }
  }

  private func batch() throws {
    let context = container.newBackgroundContext()
    var request = BatchUpdateRequest(Note.self, where: "number > 900")
    request.set(\Note.number, to: 7)
    try context.execute(request)
    saveCount += 1
  }

  private func forgetHistory() throws {
    let context = container.newBackgroundContext()
    try context.execute(PersistentHistoryChangeRequest.deleteHistory(before: Date()))
  }
}

/// Counts what a list tells.
final class SoakListener: FetchedResultsControllerDelegate {
  var changeCount = 0

  func controller(
    _ controller: FetchedResultsController<Note>,
    didChange anObject: Note,
    at indexPath: IndexPath?,
    for type: FetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {
    changeCount += 1
  }
}
