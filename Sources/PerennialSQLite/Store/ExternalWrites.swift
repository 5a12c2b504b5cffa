// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// The large values that one attempt to save writes into files, and those that it takes out of use.
///
/// Files are on the disk before the transaction ends that names them, whatever the store's durability is: a row that
/// has outlived a loss of power must find its value. An attempt that fails takes back what it has written, unless it may
/// have been committed nevertheless; then, or when the process dies first, a file that nobody names stays behind and
/// only takes room. Nobody looks for such files: other processes may be reading rows that name them, and Core Data's
/// name for the folder may be that of another store's, too.
///
/// Safe because the bytes of a value are read only while they are lent.
final class ExternalWrites {
  /// The mark before bytes that lie in the column (FORMAT 2.9).
  static let inlineMark: UInt8 = 1
  /// The mark before the name of a file, which ends with a zero byte.
  static let fileMark: UInt8 = 2

  private let files: ExternalData
  private var written: [String] = []
  /// The names of files that rows named before.
  private(set) var replaced: [String] = []

  init(_ files: ExternalData) { self.files = files }

  /// Writes a value into a file.
  ///
  /// - Returns: What the column gets.
  func write(_ bytes: UnsafeRawBufferPointer) throws(SQLiteFailure) -> [UInt8] {
    do throws(FileFailure) {
      let name = try files.write(bytes)
      written.append(name)
      return [Self.fileMark] + name.utf8 + [0]
    } catch {
      throw SQLiteFailure(error, "written")
    }
  }

  /// Notes the files that rows name before they are changed or deleted.
  func noteReplaced(
    _ keys: some Sequence<Int64>,
    columns: [String],
    of table: String,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) {
    for column in columns {
      let sql = """
        SELECT CAST(substr(\(column), 2, 36) AS TEXT) FROM \(table) \
        WHERE Z_PK = ? AND length(\(column)) = 38 AND substr(\(column), 1, 1) = x'02'
        """
      let statement = try connection.statement(.text(sql)) { () throws(SQLiteFailure) in sql }
      for key in keys {
        statement.bind(1, key)
        if try statement.step() { replaced.append(statement.text(0)) }
        statement.reset()
      }
    }
  }

  /// Writes the names of new files to the disk, before the transaction ends.
  func finish() throws(SQLiteFailure) {
    guard !written.isEmpty else { return }
    do throws(FileFailure) {
      try files.synchronise()
    } catch {
      throw SQLiteFailure(error, "written")
    }
  }

  /// Deletes what was written: the transaction was undone.
  func undo() { files.remove(written) }
}

extension SQLiteFailure {
  /// A file of a large value that could not be read or written.
  init(_ failure: FileFailure, _ action: String) {
    self.init(
      code: failure.isAboutFullDisk
        ? Self.full : failure.isAboutSize ? Self.tooBig : Self.ioError,
      message: "a large value could not be \(action): \(failure.message)",
      systemCode: failure.code
    )
  }
}
