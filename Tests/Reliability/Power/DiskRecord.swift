// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import FaultyFiles
import Foundation

/// Something that a program told the disk.
enum DiskOperation {
  /// A file or folder was opened, and made when it was not there.
  case open(handle: UInt64, path: String)
  case write(handle: UInt64, place: Int, ArraySlice<UInt8>)
  case truncate(handle: UInt64, length: Int)
  case sync(handle: UInt64)
  case makeFolder(String)
  case rename(String, to: String)
  case link(String, as: String)
  case remove(String)
  /// The program has noted here that something happened.
  case mark(Int)
}

/// What a program told the disk while it worked below a folder, in order.
struct DiskRecord {
  let operations: [DiskOperation]

  /// Records what a closure does.
  ///
  /// - Parameters:
  ///   - folder: The folder whose files are looked at.
  ///   - body: Is given a function that puts a mark into the record.
  /// - Throws: What the closure throws, or `TrialFailure` when something cannot be recorded.
  init(of folder: URL, _ body: (_ mark: @escaping (Int) -> Void) throws -> Void) throws {
    let file = folder.deletingLastPathComponent()
      .appending(path: folder.lastPathComponent + ".record")
    defer { try? FileManager.default.removeItem(at: file) }
    try Self.check(lossy_files_begin(folder.path, file.path))
    do {
      try body { lossy_files_mark(Int64($0)) }
    } catch {
      _ = lossy_files_end()
      throw error
    }
    try Self.check(lossy_files_end())
    operations = try Self.operations(Array(Data(contentsOf: file)), root: folder.path)
  }

  private static func check(_ code: Int32) throws {
    if code != 0 {
      throw TrialFailure("files cannot be recorded: \(String(cString: strerror(code)))")
    }
  }

  // MARK: Reading

  private static func operations(_ bytes: [UInt8], root: String) throws -> [DiskOperation] {
    var operations: [DiskOperation] = []
    var place = 0
    while place + entryByteCount <= bytes.count {
      let kind = lossy_kind(UInt32(truncatingIfNeeded: number(bytes, place, 4)))
      let byteCount = Int(number(bytes, place + 4, 4))
      let handle = number(bytes, place + 8, 8)
      let offset = Int(Int64(bitPattern: number(bytes, place + 16, 8)))
      let start = place + entryByteCount
      place = start + byteCount
      guard place <= bytes.count else { throw TrialFailure("the record is cut") }
      let content = bytes[start..<place]
      operations.append(try operation(kind, handle, offset, content, root))
    }
    return operations
  }

  /// As `lossy_entry` is laid out.
  private static let entryByteCount = 24

  private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> UInt64 {
    bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func operation(
    _ kind: lossy_kind,
    _ handle: UInt64,
    _ offset: Int,
    _ content: ArraySlice<UInt8>,
    _ root: String
  ) throws -> DiskOperation {
    func paths() -> [String] {
      content.split(separator: 0).map {
        String(String(decoding: $0, as: UTF8.self).dropFirst(root.count + 1))
      }
    }
    switch kind {
    case LOSSY_OPEN: return .open(handle: handle, path: paths().first ?? "")
    case LOSSY_WRITE: return .write(handle: handle, place: offset, content)
    case LOSSY_TRUNCATE: return .truncate(handle: handle, length: offset)
    case LOSSY_SYNC: return .sync(handle: handle)
    case LOSSY_MAKE_FOLDER: return .makeFolder(paths()[0])
    case LOSSY_RENAME: return .rename(paths()[0], to: paths()[1])
    case LOSSY_LINK: return .link(paths()[0], as: paths()[1])
    case LOSSY_REMOVE: return .remove(paths()[0])
    case LOSSY_MARK: return .mark(offset)
    default: throw TrialFailure("the record has an entry of kind \(kind.rawValue)")
    }
  }
}
