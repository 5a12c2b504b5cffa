// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

@Suite("Large values lie in files beside the store")
struct ExternalValueTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    store = try SQLiteStore(url: folder.file(), model: TestModels.types())
  }

  private static let small = Data(repeating: 1, count: ExternalData.threshold)
  private static let large = Data(repeating: 2, count: ExternalData.threshold + 1)
  private static let larger = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 * 7) })

  private var place: URL { folder.file(".Store_SUPPORT").appending(path: "_EXTERNAL_DATA") }

  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: place.path))?.sorted() ?? []
  }

  private func insert(_ values: [Data], from first: Int64 = 1) throws {
    let rows = values.enumerated().map { number, value in
      Row(first + Int64(number), ["aFile": .value(.data(value))])
    }
    try store.save(store.model.insertion([("Thing", rows)]))
  }

  /// The change of a value; the row gets the version.
  private func change(_ key: Int64, version: UInt32, to data: Data) -> ChangeSet {
    var changes = ChangeSet()
    let row = Row(key, version: version, ["aFile": .value(.data(data))])
    changes.updates = [store.model.update("Thing", ["aFile"], [row])]
    return changes
  }

  private func value(_ key: Int64) throws -> PropertyValue {
    try store.value(store.row("Thing", key), "aFile")
  }

  @Test func `1I.5 only values above the threshold become files, named by a plain UUID`() throws {
    try insert([Self.small, Self.large, Self.larger, Data()])
    #expect(names.count == 2)
    #expect(names.allSatisfy { UUID(uuidString: $0) != nil })
    for (number, data) in [Self.small, Self.large, Self.larger, Data()].enumerated() {
      #expect(try value(Int64(number) + 1) == .data(data))
    }
    let heads = try store.texts("SELECT hex(substr(ZAFILE, 1, 1)) FROM ZTHING ORDER BY Z_PK")
    #expect(heads == ["01", "02", "02", "01"])
    let lengths = try store.texts("SELECT length(ZAFILE) FROM ZTHING WHERE Z_PK IN (2, 3)")
    #expect(lengths == ["38", "38"])
    let again = try SQLiteStore(url: folder.file(), model: TestModels.types())
    #expect(try again.value(again.row("Thing", 3), "aFile") == .data(Self.larger))
  }

  @Test func `a file goes with its row, and with the value that it held`() throws {
    try insert([Self.large, Self.larger])
    let before = Set(names)
    try store.save(change(1, version: 2, to: Self.larger))
    #expect(names.count == 2 && Set(names).intersection(before).count == 1)
    #expect(try value(1) == .data(Self.larger))
    try store.save(change(1, version: 3, to: Data([1])))
    #expect(names.count == 1)
    var deletion = ChangeSet()
    deletion.deletions = [store.model.deletion("Thing", [(2, 1)])]
    try store.save(deletion)
    #expect(names.isEmpty)
  }

  /// Calls a closure while another value of the store, as another process has one, reads what is saved now.
  private func whileRead(_ body: () throws -> Void) throws {
    let other = try SQLiteStore(url: folder.file(), model: TestModels.types())
    let result = try other.read { connection throws(SQLiteFailure) in
      try connection.transaction(.deferred) { () throws(SQLiteFailure) in
        _ = try connection.integers("SELECT COUNT(*) FROM ZTHING")
        return Result { try body() }
      }
    }
    try result.get()
  }

  @Test func `a file stays while another process may be reading the row that named it`() throws {
    try insert([Self.large, Self.larger])
    try whileRead {
      try store.save(change(1, version: 2, to: Data([1])))
      #expect(names.count == 2)
      // What is saved now is newer than what is read.
      try store.save(change(2, version: 2, to: Data([1])))
      #expect(names.count == 2)
    }
    try insert([Self.small], from: 3)
    #expect(names.isEmpty)
  }

  @Test func `a file stays while another process reads without the log`() throws {
    try insert([Self.large])
    let emptied = try store.write { connection throws(SQLiteFailure) in
      try connection.integers("PRAGMA wal_checkpoint(PASSIVE)")
    }
    #expect(emptied == [0])
    try whileRead {
      try store.save(change(1, version: 2, to: Data([1])))
      try store.save(change(1, version: 3, to: Data([2])))
      #expect(names.count == 1)
    }
    for version in 4...5 { try store.save(change(1, version: UInt32(version), to: Data([3]))) }
    #expect(names.isEmpty)
  }

  @Test func `a file that is being read costs the saves few tries to delete it`() throws {
    try insert([Self.large])
    let small = Data([1])
    try whileRead {
      for version in 2...20 { try store.save(change(1, version: UInt32(version), to: small)) }
      #expect(names.count == 1)
    }
    // The last try was with the 16th save after the value.
    for version in 21...32 { try store.save(change(1, version: UInt32(version), to: small)) }
    #expect(names.count == 1)
    try store.save(change(1, version: 33, to: small))
    #expect(names.isEmpty)
  }

  @Test func `a reader of the newest rows keeps no file`() throws {
    try insert([Self.large])
    try store.save(change(1, version: 2, to: Self.larger))
    try whileRead { #expect(names.count == 1) }
    try store.save(change(1, version: 3, to: Data([1])))
    #expect(names.isEmpty)
  }

  @Test func `a store that is closed while another process reads leaves the file`() throws {
    try insert([Self.large])
    let changes = change(1, version: 2, to: Data([1]))
    try whileRead {
      let closing = try SQLiteStore(url: folder.file(), model: TestModels.types())
      try closing.save(changes)
    }
    #expect(names.count == 1)
    #expect(try value(1) == .data(Data([1])))
  }

  @Test func `a save that fails leaves no file`() throws {
    try insert([Self.large])
    let before = names
    let late = change(1, version: 7, to: Self.larger)
    #expect(throws: SaveFailure.self) { try store.save(late) }
    #expect(names == before)
    #expect(try value(1) == .data(Self.large))
  }

  @Test func `a save that SQLite ends in its middle leaves no file`() throws {
    try insert([Self.large])
    let before = names
    let other = try SQLiteConnection(path: folder.file().path, access: .write, busyTimeout: .zero)
    try other.execute(
      """
      CREATE TRIGGER fault AFTER INSERT ON ZTHING \
      BEGIN SELECT abs(0 * NEW.Z_PK - 9223372036854775807 - 1); END
      """
    )
    #expect(code { try insert([Self.larger], from: 2) } == .sqlite)
    #expect(names == before)
  }

  @Test func `a save whose commit somebody who reads forbids leaves no file`() throws {
    let url = folder.file("Journal.sqlite")
    var options = StoreOptions()
    options.pragmas = ["journal_mode": "DELETE"]
    let store = try SQLiteStore(
      url: url,
      model: TestModels.types(),
      busyTimeout: .zero,
      options: options
    )
    let reader = try SQLiteConnection(path: url.path, access: .read, busyTimeout: .zero)
    try reader.execute("BEGIN")
    _ = try reader.integers("SELECT COUNT(*) FROM ZTHING")
    let row = Row(1, ["aFile": .value(.data(Self.large))])
    let changes = store.model.insertion([("Thing", [row])])
    #expect(code { try store.save(changes) } == .persistentStoreTimeout)
    #expect(try ExternalData(store: url).names().isEmpty)
    try reader.execute("ROLLBACK")
    try store.save(changes)
    #expect(try ExternalData(store: url).names().count == 1)
  }

  /// `SQLITE_IOERR_SHMSIZE` comes after the commit is in the log; of the others SQLite undoes it.
  @Test func `only a commit that is undone for certain takes its files back`() {
    func isUndone(_ code: Int32) -> Bool {
      SQLiteFailure(code: code, message: "").isAboutUndoneCommit
    }
    #expect([5, 6, 13, 19].filter(isUndone) == [5, 6, 13, 19])
    #expect([10 | 19 << 8, 10 | 4 << 8, 7, 11].filter(isUndone) == [])
  }

  /// Safe because the hook looks at nothing; it takes the place of the one that counts pages.
  @Test func `a commit that fails after it is done keeps the file of its value`() throws {
    try insert([Self.large])
    let changes = change(1, version: 2, to: Self.larger)
    try store.write { connection in
      _ = sqlite3_wal_hook(connection.handle, { _, _, _, _ in SQLITE_IOERR }, nil)
    }
    #expect(code { try store.save(changes) } == .sqlite)
    #expect(try value(1) == .data(Self.larger))
    #expect(names.count == 2)
  }

  @Test func `a save that is given twice keeps the file of its value`() throws {
    try insert([Self.large])
    let changes = change(1, version: 2, to: Self.larger)
    try store.save(changes)
    let before = names
    try store.save(changes)
    #expect(names == before && names.count == 1)
    #expect(try value(1) == .data(Self.larger))
  }

  @Test func `a condition sees what is in the files`() throws {
    try insert([Self.small, Self.large])
    for (data, key) in [(Self.small, Int64(1)), (Self.large, 2)] {
      let condition = Comparison(.path("aFile"), .equal, .constant(.data(data)))
      let query = StoreQuery(
        entity: store.model.index("Thing"),
        predicate: FetchPredicate(.comparison(condition))
      )
      #expect(try store.fetchReferences(query).map(\.key) == [key])
    }
  }

  @Test func `symbolic links are not followed`() throws {
    try insert([Self.large])
    let name = try #require(names.first)
    let secret = folder.file("secret")
    try Data("secret".utf8).write(to: secret)
    try FileManager.default.removeItem(at: place.appending(path: name))
    try FileManager.default.createSymbolicLink(
      at: place.appending(path: name),
      withDestinationURL: secret
    )
    #expect(try value(1) == .null)
    let failure = #expect(throws: FileFailure.self) {
      try ExternalData(store: folder.file()).contents(named: "../../secret")
    }
    #expect(failure?.isAboutMissingFile == true)
  }

  @Test func `a value that cannot be read is an error, and no empty value`() throws {
    try insert([Self.large, Self.small])
    let name = try #require(names.first)
    try FileManager.default.removeItem(at: place.appending(path: name))
    // A socket cannot be opened, whoever runs the test.
    try makeSocket(folder.file("socket").path)
    try FileManager.default.moveItem(at: folder.file("socket"), to: place.appending(path: name))
    #expect(code { _ = try value(1) } == .sqlite)
    #expect(code { _ = try store.rows("Thing") } == .sqlite)
    #expect(try value(2) == .data(Self.small))
    try FileManager.default.removeItem(at: place.appending(path: name))
    #expect(try value(1) == .null)
  }

  @Test func `a value whose file is longer than values may be is an error`() throws {
    try insert([Self.large, Self.small])
    let name = try #require(names.first)
    let file = try FileHandle(forWritingTo: place.appending(path: name))
    try file.truncate(atOffset: 1 << 40)
    try file.close()
    #expect(code { _ = try value(1) } == .sqlite)
    #expect(code { _ = try store.rows("Thing") } == .sqlite)
    #expect(try value(2) == .data(Self.small))
  }

  @Test func `a value that is longer than what may be written is read`() throws {
    try insert([Self.large])
    let name = try #require(names.first)
    let file = try FileHandle(forWritingTo: place.appending(path: name))
    let count = 512 << 20 + 1
    try file.truncate(atOffset: UInt64(count))
    try file.close()
    let contents = try ExternalData(store: folder.file()).contents(named: name)
    #expect(contents.count == count)
  }

  /// Safe because the system copies the address within the call.
  private func makeSocket(_ path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    #if canImport(Glibc)
    let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let number = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    defer { close(number) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
  }

  @Test func `a store that cannot write its files says so, and saves nothing`() throws {
    try Data().write(to: folder.file(".Store_SUPPORT"))
    #expect(throws: SaveFailure.self) { try insert([Self.large]) }
    #expect(try store.texts("SELECT COUNT(*) FROM ZTHING") == ["0"])
    try insert([Self.small])
    #expect(try value(1) == .data(Self.small))
  }

  @Test func `missing values are counted without a look at the other tables`() throws {
    try insert([Self.large, Self.large])
    // As damage would have it: another table begins where its index does.
    var database: OpaquePointer?
    try #require(sqlite3_open(folder.file().path, &database) == SQLITE_OK)
    let damage = """
      CREATE TABLE other (a PRIMARY KEY);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET rootpage =
      (SELECT rootpage FROM sqlite_master WHERE tbl_name = 'other' AND type = 'index')
      WHERE name = 'other'
      """
    #expect(sqlite3_exec(database, damage, nil, nil, nil) == SQLITE_OK)
    sqlite3_close(database)
    for (count, name) in names.enumerated() {
      #expect(try SQLiteInspector.missingLargeValueCount(in: folder.file(), store.model) == count)
      try FileManager.default.removeItem(at: place.appending(path: name))
    }
    #expect(try SQLiteInspector.missingLargeValueCount(in: folder.file(), store.model) == 2)
    let nothing = folder.file("nothing")
    #expect(try SQLiteInspector.missingLargeValueCount(in: nothing, TestModels.blog()) == 0)
    #expect(throws: PerennialError.self) {
      try SQLiteInspector.missingLargeValueCount(in: nothing, store.model)
    }
    #expect(throws: PerennialError.self) { try SQLiteInspector.inspect(folder.file()) }
  }
}
