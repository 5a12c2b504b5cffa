// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// A value of which its `==` compares an ID only.
struct CookbookEntry: Codable, Sendable, Hashable {
  var id = 1
  var parts: [String] = []

  static func == (left: Self, right: Self) -> Bool { left.id == right.id }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

@Managed final class Cookbook: ManagedObject {
  var best: CookbookEntry?
  var recipes: [CookbookEntry] = []
  var others: Set<CookbookEntry> = []
  var places: [String: CookbookEntry] = [:]
  var length: UInt64 = 0
}

enum Flavour: String, Codable, Sendable { case sweet, sour }

@Composite struct Taste: Codable, Sendable {
  var note: String = ""
  var flavour: Flavour = .sweet
}

@Managed final class Sauce: ManagedObject {
  var usual: Taste = Taste()
  var own: Taste = Taste(note: "", flavour: .sour)
  var maybe: Taste?
}

/// What counts as a change of a Codable value, and which values are taken for one.
@Suite("Codable values: parts and boxes")
struct CodablePartTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open<Object: ManagedEntity>(
    _ type: Object.Type,
    _ kind: StoreKind
  ) throws -> PersistentContainer {
    try PersistentContainer(name: "Values", entities: type, store: kind.description(in: folder))
  }

  @Test(arguments: StoreKind.allCases)
  func `another order of a list is a change, whatever its elements call equal`(
    _ kind: StoreKind
  ) throws {
    let container = try open(Cookbook.self, kind)
    let context = container.newBackgroundContext()
    let book = Cookbook(context: context)
    let recipe = CookbookEntry(parts: ["first", "second"])
    (book.best, book.recipes) = (recipe, [recipe])
    (book.others, book.places) = ([recipe], ["a": recipe])
    try context.save()
    let other = CookbookEntry(parts: ["second", "first"])
    (book.best, book.recipes) = (other, [other])
    (book.others, book.places) = ([other], ["a": other])
    #expect(Set(book.changedValues().keys) == ["best", "recipes", "others", "places"])
    try context.save()
    let reader = container.newBackgroundContext()
    let read = try #require(try reader.first(Cookbook.all))
    #expect(read.best?.parts == other.parts)
    #expect(read.recipes.map(\.parts) == [other.parts])
    #expect(read.others.map(\.parts) == [other.parts])
    #expect(read.places["a"]?.parts == other.parts)
  }

  @Test(arguments: StoreKind.allCases)
  func `numbers that are stored as JSON, and boxes without a value, are taken`(
    _ kind: StoreKind
  ) throws {
    let container = try open(Cookbook.self, kind)
    let context = container.newBackgroundContext()
    let book = Cookbook(context: context)
    book.best = CookbookEntry()
    try book.setValue(UInt64(5), forKey: "length")
    try book.setValue(CookbookEntry?.none as Any, forKey: "best")
    #expect(book.length == 5 && book.best == nil)
    try context.save()
    var request = BatchUpdateRequest(Cookbook.self)
    request.set(\Cookbook.length, to: 9)
    #expect(try context.execute(request).count == 1)
    #expect(book.length == 9)
  }

  @Test(arguments: StoreKind.allCases)
  func `what a new object's type could not decode stays protected after its save`(
    _ kind: StoreKind
  ) throws {
    let container = try open(SecondProfile.self, kind)
    let context = container.newBackgroundContext()
    let profile = SecondProfile(context: context)
    try profile.setValue(Data("[1]".utf8), forKey: "settings")
    #expect(profile.settings == ProfileVersion.Second())
    try context.save()
    profile.settings = ProfileVersion.Second()
    let error = try failure { try context.save() }
    #expect(error.code == .typeMismatch && error.property == "settings")
  }

  @Test(arguments: StoreKind.allCases)
  func `an element's unknown raw value stays until the element is set to something else`(
    _ kind: StoreKind
  ) throws {
    let container = try open(Sauce.self, kind)
    let keys = ["usual", "own", "maybe"]
    let writer = container.newBackgroundContext()
    let written = Sauce(context: writer)
    for key in keys { try written.setValue(["note": "old", "flavour": "bitter"], forKey: key) }
    try writer.save()
    let context = container.newBackgroundContext()
    let sauce = try #require(try context.first(Sauce.all))
    (sauce.usual.note, sauce.own.note) = ("new", "new")
    sauce.maybe?.note = "new"
    try context.save()
    for key in keys {
      #expect(try sauce.value(forKey: "\(key).flavour") as? String == "bitter", "\(key)")
      #expect(try sauce.value(forKey: "\(key).note") as? String == "new", "\(key)")
    }
    #expect(sauce.own.flavour == .sweet)
    sauce.own.flavour = .sour
    try context.save()
    #expect(try sauce.value(forKey: "own.flavour") as? String == "sour")
  }
}
