// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModelFiles

/// A store of the tests' model with rows that are known.
///
/// Two authors; on a shelf "Emma", "Dune" and an issue of the magazine "Wired", in this order; two tags.
enum LibraryStore {
  static let isbn = "6F9619FF-8B86-D011-B42D-00C04FC964FF"

  static func make(_ description: StoreDescription, in folder: ToolFolder) throws {
    let container = try PersistentContainer(
      name: "Library",
      model: ManagedObjectModel(contentsOf: folder.file("Library.xcdatamodeld")),
      store: description
    )
    let context = container.newBackgroundContext()
    func insert(_ entity: String, _ values: [String: any Sendable]) throws -> ManagedObject {
      let object = try context.insert(entityNamed: entity)
      for (key, value) in values { try object.setValue(value, forKey: key) }
      // One by one, so that keys are given in this order.
      try context.save()
      return object
    }
    let jane = try insert("Author", ["name": "Jane Austen"])
    let frank = try insert("Author", ["name": "Frank Herbert"])
    let shelf = try insert("Shelf", ["name": "Top"])
    let old = try insert("Tag", ["name": "old"])
    let long = try insert("Tag", ["name": "long"])
    let dune = try insert(
      "Item",
      [
        "title": "Dune", "added": Date(timeIntervalSince1970: 1_453_837_578), "count": 3,
        "price": Decimal(string: "12.50") ?? 0, "rating": 4.5, "isRead": true,
      ]
    )
    let emma = try insert(
      "Item",
      [
        "title": "Emma \u{1B}[31m\n\"é\"", "added": Date(timeIntervalSince1970: 0.25),
        "cover": Data([0, 255, 16]),
        "home": URL(string: "https://example.org/emma?a=1&b=2") ?? URL.homeDirectory,
        "isbn": UUID(uuidString: isbn) ?? UUID(), "isRead": false,
      ]
    )
    let wired = try insert("Magazine", ["title": "Wired", "issue": 7])
    try dune.setObject(frank, forKey: "author")
    try emma.setObject(jane, forKey: "author")
    for item in [emma, dune, wired] {
      try item.setObject(shelf, forKey: "shelf")
      try context.save()
    }
    try dune.objects(forKey: "tags").insert(long)
    try emma.objects(forKey: "tags").insert(old)
    try emma.objects(forKey: "tags").insert(long)
    try context.save()
  }

  /// Makes a store whose name says its kind, and gives the name.
  static func make(_ name: String, in folder: ToolFolder) throws -> String {
    let url = folder.file(name)
    try make(url.pathExtension == "json" ? .json(url) : .sqlite(url), in: folder)
    try? FileManager.default.removeItem(atPath: url.path + ".lock")
    return name
  }
}
