// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import Perennial
import Testing

enum KeeperLevel: String, Codable { case junior, senior }

/// A class for other modules with properties for everybody, for this module, this file and itself.
@Managed open class Keeper: ManagedObject {
  private enum Mood: String, Codable { case calm, cross }

  open var name: String
  /// How often somebody came.
  public private(set) var visits: Int
  var level: KeeperLevel = .junior
  var chief: Optional<Keeper>
  fileprivate var note: String?
  private var mood: Mood = .calm

  func visit() {
    visits += 1
    mood = .cross
  }

  /// The patterns have brackets without their partners.
  static func bracket(isOpening: Bool) -> Regex<Substring> {
    if isOpening { return /\(/ }
    return /\)/
  }

  /// Where the keeper works.
  public var zone: String
}

private enum Awkward {
  @Managed class Root: ManagedObject {
    var name: String
    @Attribute(name: "order") var place: Int
    @Relationship(inverse: \Storage.roots) var storage: Storage?
  }

  @Managed class Storage: ManagedObject {
    var roots: ToMany<Root>
    @Relationship(inverse: \Box.owner) var boxes: ToMany<Box>
  }

  @Managed final class Box: ManagedObject {
    var owner: Storage?
    var label: Label
  }

  @Composite struct Label: Equatable {
    var text: String = """
      first

      third
      """
  }
}

/// What the macros make of classes with unusual names, members and access levels.
@Suite("Awkward classes")
struct AwkwardClassTests {
  @Test func `a snapshot has what is private in the class`() throws {
    let context = try PersistentContainer.inMemory(Keeper.self).newBackgroundContext()
    let chief = Keeper(context: context)
    let keeper = Keeper(context: context)
    keeper.note = "new"
    keeper.zone = "north"
    keeper.chief = chief
    keeper.visit()
    let snapshot = keeper.snapshot()
    #expect(snapshot.visits == 1)
    #expect(snapshot.level == .junior)
    #expect(snapshot.chief == chief.objectID)
    #expect(snapshot.note == "new")
    let data = try JSONEncoder().encode(snapshot)
    #expect(String(decoding: data, as: UTF8.self).contains(#""mood":"cross""#))
    #expect(try JSONDecoder().decode(Keeper.Snapshot.self, from: data).zone == "north")
  }

  @Test func `a property behind a regular expression is one of the entity`() {
    #expect("f(".contains(Keeper.bracket(isOpening: true)))
    #expect(Keeper.entity.properties.map(\.name).last == "zone")
  }

  @Test func `classes may have the names of types in expansions`() throws {
    let context = try PersistentContainer.inMemory(
      Awkward.Root.self,
      Awkward.Storage.self,
      Awkward.Box.self
    ).newBackgroundContext()
    let root = Awkward.Root(context: context)
    let storage = Awkward.Storage(context: context)
    let box = Awkward.Box(context: context)
    root.name = "r"
    root.place = 3
    root.storage = storage
    box.owner = storage
    #expect(Awkward.Root.propertyName(for: \Awkward.Root.place) == "order")
    #expect(storage.roots.map(\.name) == ["r"])
    #expect(storage.boxes.count == 1)
    #expect(box.label == Awkward.Label())
    try context.save()
    let predicate = #FetchPredicate(Awkward.Root.self, "name == 'r' AND \(key: "order") == 3")
    #expect(try context.count(for: Awkward.Root.filter(predicate)) == 1)
  }
}
