// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

@testable import PerennialSQLite

/// What another program has put into a row must not keep the rest of it from being edited.
@Suite("Objects with values that could not be assigned are saved") final class ForeignValueTests {
  private let folder: URL
  private var file: URL { folder.appending(path: "Store.sqlite") }
  private let model: ManagedObjectModel

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "foreign-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    model = try ManagedObjectModel(
      EntityDescription(
        "Thing",
        uniqueness: [["size"]],
        properties: [
          .attribute("name", .string), .attribute("size", .decimal, optional: true),
          .attribute("home", .url, optional: true),
        ]
      )
    )
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func open() throws -> ManagedObjectContext {
    try PersistentContainer(name: "Things", model: model, store: .sqlite(file))
      .newBackgroundContext()
  }

  /// A store whose one object another program has changed.
  private func make(_ assignment: String) throws {
    do {
      let context = try open()
      try context.insert(entityNamed: "Thing").setValue("a", forKey: "name")
      try context.save()
    }
    let connection = try connect()
    try connection.execute("UPDATE ZTHING SET \(assignment)")
  }

  private func connect() throws -> SQLiteConnection {
    try SQLiteConnection(path: file.path, access: .write, busyTimeout: .seconds(5))
  }

  private func thing(_ context: ManagedObjectContext) throws -> ManagedObject {
    try #require(try context.first(FetchRequest<ManagedObject>(entityName: "Thing")))
  }

  @Test(
    arguments: [
      // A sum of money in a currency of small units, as an INTEGER; a text of 20 digits.
      ("ZSIZE = 1234567890123456789", "integer 1234567890123456789"),
      ("ZSIZE = CAST('0.12345678901234567890x' AS BLOB)", "blob 0.12345678901234567890x"),
      ("ZHOME = ''", "text "), ("ZHOME = 'http://[x'", "text http://[x"),
    ]
  )
  func `a value that is left alone stays as it is`(_ assignment: String, _ stored: String) throws {
    try make(assignment)
    let context = try open()
    try thing(context).setValue("b", forKey: "name")
    try context.save()
    let column = assignment.prefix { $0 != " " }
    let sql = "SELECT ZNAME || ': ' || typeof(\(column)) || ' ' || \(column) FROM ZTHING"
    #expect(try connect().texts(sql) == ["b: " + stored])
  }

  @Test func `a whole number of 64 bits is a decimal that a store keeps exactly`() throws {
    try make("ZSIZE = NULL")
    let sizes = [Decimal(Int64.max), Decimal(Int64.min), Decimal(Int64.max - 1)]
    for size in sizes {
      let context = try open()
      try thing(context).setValue(size, forKey: "size")
      try context.save()
      #expect(
        try connect().texts("SELECT typeof(ZSIZE) || ZSIZE FROM ZTHING") == ["integer\(size)"]
      )
      let other = try open()
      #expect(try thing(other).value(forKey: "size") as? Decimal == size)
    }
    // Two that are one as doubles are two for a constraint.
    let context = try open()
    let second = try context.insert(entityNamed: "Thing")
    try second.setValue("b", forKey: "name")
    try second.setValue(Decimal(Int64.max), forKey: "size")
    try context.save()
    #expect(try connect().integers("SELECT COUNT(*) FROM ZTHING") == [2])
  }

  @Test(arguments: ["9223372036854775808", "0.1234567890123456", "1234567890123456.5"])
  func `a decimal that a store would round is refused`(_ text: String) throws {
    try make("ZSIZE = NULL")
    let context = try open()
    let number: Decimal? = Decimal(string: text)
    try thing(context).setValue(number, forKey: "size")
    let error = #expect(throws: PerennialError.self) { try context.save() }
    #expect(error?.message.contains("15 significant digits") == true)
  }
}
