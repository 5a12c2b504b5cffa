// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

@Managed final class Recipe: ManagedObject {
  @Unique var title: String
  var minutes: Int = 0
  var written: Date?
  var ingredients: OrderedToMany<Ingredient>
}

@Managed final class Ingredient: ManagedObject {
  var name: String = ""
  var recipe: Recipe?
}

/// A JSON store as an application uses it.
@Suite("Samples: JSON stores")
struct JSONStoreTests {
  private static func open(
    _ url: URL,
    readOnly isReadOnly: Bool = false
  ) throws -> PersistentContainer {
    var store = StoreDescription.json(url)
    store.isReadOnly = isReadOnly
    return try PersistentContainer(
      name: "Recipes",
      entities: Recipe.self,
      Ingredient.self,
      store: store
    )
  }

  @Test func `1I.4 a JSON store keeps objects that a text editor can show`() throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appending(path: "Recipes.json")
    do {
      let context = try Self.open(url).newBackgroundContext()
      let soup = Recipe(context: context)
      soup.title = "Soup"
      soup.minutes = 40
      soup.written = Date(timeIntervalSinceReferenceDate: 0.5)
      for name in ["Water", "Salt"] {
        let ingredient = Ingredient(context: context)
        ingredient.name = name
        soup.ingredients.append(ingredient)
      }
      try context.save()
    }
    let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
    #expect(
      lines.contains {
        $0.hasPrefix(" {\"_key\":1,\"_version\":1,\"title\":\"Soup\",\"minutes\":40,")
          && $0.contains("\"written\":\"2001-01-01T00:00:00.5Z\"")
      }
    )
    let container = try Self.open(url, readOnly: true)
    let context = container.newBackgroundContext()
    let soup = try #require(try context.first(Recipe.filter("title == 'Soup'")))
    #expect(soup.ingredients.map(\.name) == ["Water", "Salt"])
    soup.minutes = 45
    let error = try #require(throws: PerennialError.self) { try context.save() }
    #expect(error.code == .persistentStoreSave)
    #expect(context.hasChanges)
  }

  @Test func `1I.7 a whole-file store is shared, and tells contexts what others have written`()
    async throws
  {
    let folder = try TemporaryFolder()
    let url = folder.url.appending(path: "Recipes.json")
    var store = StoreDescription.json(url)
    store.remoteChangeInterval = .milliseconds(20)
    let near = try PersistentContainer(
      name: "Recipes",
      entities: Recipe.self,
      Ingredient.self,
      store: store
    )
    let far = try Self.open(url).newBackgroundContext()
    var changes = near.remoteChanges.makeAsyncIterator()
    Recipe(context: far).title = "Tea"
    try far.save()
    let change = await changes.next()
    #expect(change?.storeID == near.storeID)
    let context = near.newBackgroundContext()
    #expect(try context.fetch(Recipe.all).map(\.title) == ["Tea"])
    // Uniqueness is looked at in what both have saved.
    Recipe(context: context).title = "Tea"
    let error = #expect(throws: PerennialError.self) { try context.save() }
    #expect(error?.code == .managedObjectConstraintMerge)
  }

  @Test func `1I.7 a damaged file is an error, and stays as it is`() throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appending(path: "Recipes.json")
    _ = try Self.open(url)
    let whole = try Data(contentsOf: url)
    let cut = whole.prefix(whole.count / 2)
    try cut.write(to: url)
    let error = try #require(throws: PerennialError.self) { _ = try Self.open(url) }
    #expect(error.code == .persistentStoreOpen)
    #expect(error.recovery.contains("copy"))
    #expect(try Data(contentsOf: url) == cut)
  }
}
