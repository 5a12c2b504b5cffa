// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
import Perennial

@Managed final class Item: ManagedObject {
  var title: String
  var count: Int = 0
  var box: Box?
  var tags: ToMany<Tag>
}

@Managed final class Box: ManagedObject {
  var label: String
  @Attribute(derived: "items.@count") var itemCount: Int
  @Relationship(deleteRule: .nullify) var items: ToMany<Item>
}

@Managed final class Tag: ManagedObject {
  @Unique var name: String
  var isDone: Bool = false
  var items: ToMany<Item>
}

/// One of several programs that work on one store at the same time.
///
/// It changes random objects, merges what the others have saved, and ends when all have ended: then it
/// says what it knows, from its objects alone.
@MainActor
public final class Peer {
  /// How a peer learns what the others have saved.
  public enum Mode: String, Sendable, CaseIterable {
    /// It asks for the history, and merges each transaction.
    case history
    /// Its context merges by itself.
    case automatic
  }

  private let name: String
  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let mode: Mode
  private var generator: Generator
  private var token: PersistentHistoryToken?
  /// The tags that say whether a peer has ended, held from the beginning: merging changes them.
  private var marks: [String: Tag] = [:]

  /// Makes the store.
  ///
  /// - Parameters:
  ///   - file: The store's file.
  ///   - names: The names of all peers.
  /// - Throws: Why the store cannot be made.
  public static func prepare(_ file: URL, names: [String]) throws {
    let container = try open(description(file))
    let context = container.newBackgroundContext()
    for name in names { Tag(context: context).name = "end of \(name)" }
    try context.save()
  }

  /// A SQLite store with a history; a JSON store if the file's name says so.
  private static func description(_ file: URL) -> StoreDescription {
    if file.pathExtension == "json" { return .json(file) }
    var store = StoreDescription.sqlite(file)
    store.historyTracking = true
    return store
  }

  private static func open(_ store: StoreDescription) throws -> PersistentContainer {
    try PersistentContainer(
      name: "Peer",
      entities: Item.self,
      Box.self,
      Tag.self,
      store: store
    )
  }

  /// Opens the store.
  ///
  /// - Parameters:
  ///   - name: The peer's name, the author of its transactions.
  ///   - file: The store's file.
  ///   - mode: How it learns what the others have saved.
  ///   - seed: Chooses what it does.
  /// - Throws: Why the store cannot be opened.
  public init(name: String, file: URL, mode: Mode, seed: UInt64) throws {
    var store = Self.description(file)
    store.remoteChangeInterval = .milliseconds(50)
    store.busyTimeout = .seconds(60)
    container = try Self.open(store)
    self.name = name
    self.mode = mode
    generator = Generator(state: seed)
    context = container.viewContext
    context.automaticallyMergesChangesFromParent = mode == .automatic
    context.retainsRegisteredObjects = true
    context.transactionAuthor = name
    context.mergePolicy = .mergeByPropertyObjectTrump
    for mark in try context.fetch(Tag.filter("name BEGINSWITH 'end of'")) {
      marks[String(mark.name.dropFirst("end of ".count))] = mark
    }
  }

  /// Works until all peers have ended.
  ///
  /// - Parameters:
  ///   - rounds: How many times to save.
  ///   - others: The names of the other peers.
  /// - Returns: What the context's objects say at the end, one object a line.
  /// - Throws: The store's error.
  public func run(rounds: Int, others: [String]) async throws -> [String] {
    for round in 0..<rounds {
      try change(round)
      try merge()
      await Task.yield()
    }
    marks[name]?.isDone = true
    try context.save()
    try merge()
    var changes = container.remoteChanges.makeAsyncIterator()
    try merge()
    while !haveEnded(others), await changes.next() != nil { try merge() }
    return try digest()
  }

  // MARK: Merging

  private func merge() throws {
    switch mode {
    case .automatic: try context.processPendingChanges()
    case .history:
      var request = PersistentHistoryChangeRequest.fetchHistory(after: token)
      request.excludedAuthors = [name]
      for transaction in try context.execute(request).transactions {
        try context.mergeChanges(from: transaction)
        token = transaction.token
      }
    }
  }

  private func haveEnded(_ others: [String]) -> Bool {
    others.allSatisfy { marks[$0]?.isDone == true }
  }

  // MARK: Changing

  private func change(_ round: Int) throws {
    for step in 0..<4 { try change(round, step) }
    while let error = saveError() {
      guard PerennialError.conflict ~= error else { throw error }
      // The others were quicker with the same object.
      context.rollback()
    }
  }

  private func saveError() -> PerennialError? {
    do throws(PerennialError) {
      try context.save()
      return nil
    } catch {
      return error
    }
  }

  private func change(_ round: Int, _ step: Int) throws {
    var items = try context.fetch(Item.sorted(by: \.title))
    var boxes = try context.fetch(Box.sorted(by: \.label))
    let tags = try context.fetch(Tag.filter("NOT name BEGINSWITH 'end'").sorted(by: \.name))
    // A fetch merges, too: what was fetched before may be gone.
    items.removeAll(where: \.isDeleted)
    boxes.removeAll(where: \.isDeleted)
    let item = items.isEmpty ? nil : items[generator.below(items.count)]
    switch generator.below(10) {
    case 0, 1, 2:
      let new = Item(context: context)
      new.title = "\(name) \(round) \(step)"
      new.box = boxes.isEmpty ? nil : boxes[generator.below(boxes.count)]
    case 3, 4: item?.count += 1
    case 5:
      let box = Box(context: context)
      box.label = "\(name) \(round) \(step)"
    case 6: item?.box = boxes.isEmpty ? nil : boxes[generator.below(boxes.count)]
    case 7:
      let tag = Tag(context: context)
      tag.name = "tag \(generator.below(6))"
      if let item { tag.items.insert(item) }
    case 8:
      if let item, !tags.isEmpty { item.tags.insert(tags[generator.below(tags.count)]) }
    default:
      if let item { context.delete(item) }
    }
  }

  // MARK: Telling

  /// What the objects of the context say, each object read from it by its ID.
  private func digest() throws -> [String] {
    // Objects that were never here are fetched; the others keep what merging has given them.
    _ = try context.fetch(Item.all)
    _ = try context.fetch(Box.all)
    _ = try context.fetch(Tag.all)
    return context.registeredObjects.filter { !$0.isDeleted }.compactMap { object in
      switch object {
      case let item as Item:
        "item \(item.title): \(item.count), box \(item.box?.label ?? "-"), tags "
          + item.tags.map(\.name).sorted().joined(separator: ",")
      case let box as Box:
        "box \(box.label): \(box.itemCount), "
          + box.items.map(\.title).sorted().joined(separator: ",")
      case let tag as Tag:
        "tag \(tag.name): " + tag.items.map(\.title).sorted().joined(separator: ",")
      default: nil
      }
    }.sorted()
  }
}

/// A small generator of a seed.
private struct Generator {
  var state: UInt64

  mutating func below(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }
}
