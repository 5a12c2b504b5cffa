// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Perennial
import PerennialModel
import PerennialPostgres
import Testing

/// Words of SQL, a hierarchy and orders.
@Managed final class Grant: ManagedObject {
  var grantedAt: Date
  var select: String?
  var version: Int
  var buyer: Party?
  var books: OrderedToMany<Book>
}

@Managed class Party: ManagedObject {
  var name: String
  var grants: OrderedToMany<Grant>
}

@Managed final class Company: Party {
  var type: String?
}

@Managed final class Book: ManagedObject {
  @Unique var title: String
  var grants: ToMany<Grant>
}

/// Tables with plain names, as somebody sees them who has `psql` only.
@Suite("Plain names on PostgreSQL", .needsServer)
struct PlainStoreTests {
  private let place: StorePlace

  init() throws { place = try StorePlace() }

  /// The columns of a table with their types, as the server has them.
  private func columns(_ table: String) throws -> [String] {
    let rows = try place.connect().run(
      """
      SELECT column_name::text || ' ' || data_type::text FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position
      """,
      [.text(table)]
    )
    return (0..<rows.count).map { rows.text($0, 0) }
  }

  private func tables() throws -> [String] {
    let rows = try place.connect().run(
      "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1"
    )
    return (0..<rows.count).map { rows.text($0, 0) }
  }

  private func open(
    _ names: StoreDescription.TableNames? = .plain,
    at place: StorePlace? = nil,
    parameters: String = ""
  ) throws -> PersistentContainer {
    let url = try (place ?? self.place).url(parameters: parameters)
    return try PersistentContainer(
      name: "Plain",
      entities: Grant.self,
      Party.self,
      Company.self,
      Book.self,
      store: .postgres(url, names: names)
    )
  }

  /// Saves a company's grant of two books, the second of the alphabet first.
  private func fill(_ container: PersistentContainer) throws {
    let context = container.newBackgroundContext()
    let grant = Grant(context: context)
    grant.grantedAt = Date(timeIntervalSinceReferenceDate: 5)
    grant.select = "word"
    grant.version = 7
    let buyer = Company(context: context)
    buyer.name = "Acme"
    buyer.type = "Ltd"
    grant.buyer = buyer
    for title in ["Persuasion", "Emma"] {
      let book = Book(context: context)
      book.title = title
      grant.books.append(book)
    }
    try context.save()
  }

  @Test func `tables are such as people make who write SQL`() throws {
    try fill(open())
    #expect(
      try tables() == [
        "book", "book_grants", "grant", "party", "perennial_clock", "perennial_keys",
        "perennial_log", "perennial_metadata", "perennial_save",
      ]
    )
    #expect(
      try columns("grant") == [
        "id bigint", "version bigint", "version_2 bigint", "buyer_id bigint", "buyer_type bigint",
        "buyer_position bigint", "granted_at double precision", "select text",
      ]
    )
    #expect(
      try columns("party") == [
        "id bigint", "type bigint", "version bigint", "name text", "type_2 text",
      ]
    )
    #expect(
      try columns("book_grants") == ["book_id bigint", "grant_id bigint", "book_position bigint"]
    )
    let rows = try place.connect().run(
      """
      SELECT b.title, p.name, k.name, o.granted_at FROM "grant" AS o
      JOIN book_grants AS ob ON ob.grant_id = o.id JOIN book AS b ON b.id = ob.book_id
      JOIN party AS p ON p.id = o.buyer_id JOIN perennial_keys AS k ON k.type = p.type
      WHERE o."select" = 'word' AND o.buyer_type = p.type ORDER BY ob.book_position
      """
    )
    #expect((0..<rows.count).map { rows.text($0, 0) } == ["Persuasion", "Emma"])
    #expect((0..<rows.count).map { rows.text($0, 1) } == ["Acme", "Acme"])
    #expect((0..<rows.count).map { rows.text($0, 2) } == ["Company", "Company"])
  }

  @Test func `statements of users name tables and columns, and give the column id`() throws {
    let container = try open()
    try fill(container)
    let context = container.newBackgroundContext()
    func titles(_ sql: RawSQL) throws -> [String] {
      try context.fetch(Book.self, sql: sql).map(\.title)
    }
    #expect(
      try titles("SELECT id FROM book WHERE length(title) > \(3) ORDER BY title")
        == ["Emma", "Persuasion"]
    )
    #expect(
      try titles(
        "SELECT b.id FROM \(table: Book.self) AS b WHERE b.\(column: \Book.title) = \("Emma")"
      ) == ["Emma"]
    )
    let error = try storeError { _ = try titles("SELECT title FROM book") }
    #expect(error.code == .postgreSQL)
  }

  @Test(arguments: StoreDescription.TableNames.allCases)
  func `a store keeps the names that it was made with`(
    _ names: StoreDescription.TableNames
  ) throws {
    try fill(open(names))
    let before = try tables()
    for other in StoreDescription.TableNames.allCases {
      let context = try open(other).newBackgroundContext()
      let grant = try #require(try context.first(Grant.filter("select == 'word'")))
      #expect(grant.books.map(\.title) == ["Persuasion", "Emma"])
      #expect(grant.buyer?.name == "Acme")
      grant.version += 1
      try context.save()
    }
    #expect(try tables() == before)
    #expect(before.contains(names == .plain ? "perennial_metadata" : "z_metadata"))
    #expect(before.contains(names == .plain ? "grant" : "zgrant"))
  }

  @Test func `the URL may say it, and the program says it better`() throws {
    _ = try open(.coreData, parameters: "&names=plain")
    #expect(try tables().contains("zgrant"))
    let other = try StorePlace()
    _ = try PersistentContainer(
      name: "Plain",
      entities: Book.self,
      Grant.self,
      Party.self,
      Company.self,
      store: .postgres(other.url(parameters: "&names=plain"))
    )
    #expect(try other.number("SELECT COUNT(*) FROM perennial_keys") == 4)
  }

  @Test func `tables of another program under plain names are refused`() throws {
    try place.execute("CREATE TABLE book (isbn text)")
    let error = try storeError { _ = try open() }
    #expect(error.code == .persistentStoreOpen)
    #expect(error.message.contains("'book'"))
    #expect(try tables() == ["book"])
    // Core Data's names are free.
    _ = try open(.coreData)
    #expect(try tables().contains("zbook"))
  }

  @Test func `a store that has lost its metadata or a column says so in its names`() throws {
    _ = try open()
    try place.execute("ALTER TABLE \"grant\" DROP COLUMN buyer_position")
    let error = try storeError { _ = try open() }
    #expect(error.description.contains("the column 'buyer_position' of 'grant'"))
  }

  @Test(arguments: StoreDescription.TableNames.allCases)
  func `a migration keeps the names`(_ names: StoreDescription.TableNames) throws {
    func open(_ version: Int, _ names: StoreDescription.TableNames) throws -> ManagedObjectContext {
      try PersistentContainer(
        name: "Library",
        model: StoreMigrationTests.model(version),
        store: .postgres(place.url(), names: names)
      ).newBackgroundContext()
    }
    do {
      let context = try open(1, names)
      let shelf = try context.insert(entityNamed: "Shelf")
      try shelf.setValue("first", forKey: "name")
      for title in ["Persuasion", "Emma"] {
        let book = try context.insert(entityNamed: "Book")
        try book.setValue(title, forKey: "title")
        try book.setObject(shelf, forKey: "shelf")
      }
      try context.save()
    }
    let context = try open(2, names == .plain ? .coreData : .plain)
    let books = try context.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
    #expect(
      try books.map { try $0.value(forKey: "name") as? String ?? "" }.sorted()
        == ["Emma", "Persuasion"]
    )
    let tag = try context.insert(entityNamed: "Tag")
    try tag.setValue("classic", forKey: "name")
    for book in books { try tag.objects(forKey: "books").insert(book) }
    try context.save()
    if names == .plain {
      #expect(
        try columns("book") == [
          "id bigint", "version bigint", "pages bigint", "shelf_id bigint",
          "shelf_position bigint", "name text",
        ]
      )
      let sql = """
        SELECT COUNT(*) FROM book JOIN shelf ON shelf.id = book.shelf_id
        JOIN book_tags ON book_id = book.id WHERE shelf.name = 'first'
        """
      #expect(try place.number(sql) == 2)
      #expect(try place.number("SELECT version FROM perennial_metadata") == 2)
      #expect(try !tables().contains { $0.hasPrefix("z") })
    } else {
      #expect(try place.number("SELECT COUNT(*) FROM zbook") == 2)
      #expect(try !tables().contains("perennial_metadata"))
    }
  }

  @Test func `a store is copied from plain names to others and back`() throws {
    let container = try open()
    try fill(container)
    let other = try StorePlace()
    let coordinator = container.persistentStoreCoordinator
    let store = try #require(coordinator.persistentStores.first)
    try coordinator.copyPersistentStore(store, to: .postgres(other.url(), names: .coreData))
    #expect(try other.number("SELECT COUNT(*) FROM zbook") == 2)

    let middle = try open(.coreData, at: other).persistentStoreCoordinator
    let last = try StorePlace()
    try middle.copyPersistentStore(
      try #require(middle.persistentStores.first),
      to: .postgres(last.url(), names: .plain)
    )
    let context = try open(.plain, at: last).newBackgroundContext()
    let grant = try #require(try context.first(Grant.filter("select == 'word'")))
    #expect(grant.books.map(\.title) == ["Persuasion", "Emma"])
    #expect(grant.version == 7 && grant.buyer?.name == "Acme")
  }
}
#endif
