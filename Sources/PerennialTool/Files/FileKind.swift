// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import PerennialStore

/// What a file that was named on the command line is, by its first bytes.
enum FileKind: Sendable, Hashable {
  case store(FileFormat)
  case model
  case compiledModel

  /// Looks at a file or folder.
  ///
  /// - Throws: ``CommandFailure`` when there is none, or when it is something else.
  init(of path: String) throws(CommandFailure) {
    if ServerAddress.isAddress(path) {
      throw CommandFailure(
        "this command reads files, and '\(path.withoutPasswords.escapedForTerminal)' is on a server",
        advice: "Copy the store to a file first, with 'perennial convert'."
      )
    }
    let shown = path.escapedForTerminal
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      if let reason = Self.reasonNotToLook(path) {
        throw CommandFailure("'\(shown)' cannot be looked at: \(reason)", advice: "Check the path.")
      }
      throw CommandFailure("there is no file '\(shown)'", advice: "Check the path.")
    }
    if isFolder.boolValue {
      self = try Self.kind(ofFolder: path)
      return
    }
    guard Self.isOrdinary(path) else {
      throw CommandFailure("'\(shown)' is not an ordinary file", advice: "Name a file.")
    }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw CommandFailure("'\(shown)' cannot be read", advice: "Allow reading the file.")
    }
    defer { try? handle.close() }
    guard let start = (try? handle.read(upToCount: Self.startCount)) ?? Data?.none, !start.isEmpty
    else {
      throw CommandFailure(
        "'\(shown)' is empty",
        advice: "Check the path; the file has been left as it is."
      )
    }
    guard let kind = Self.kind(ofStart: start) else {
      throw CommandFailure(
        "'\(shown)' is neither a store nor a model",
        advice: "Check the path; the file has been left as it is."
      )
    }
    self = kind
  }

  /// Why the system does not tell what a path leads to; nil when it leads to nothing.
  private static func reasonNotToLook(_ path: String) -> String? {
    do throws(FileFailure) {
      _ = try SystemFiles().status(of: path)
      return nil
    } catch {
      return error.isAboutMissingFile ? nil : error.message
    }
  }

  /// How many bytes of a file are looked at.
  private static let startCount = 512

  private static func kind(ofStart start: Data) -> FileKind? {
    if start.starts(with: Array("SQLite format 3\0".utf8)) { return .store(.sqlite) }
    if start.starts(with: Array("bplist00".utf8)) { return .compiledModel }
    var text = Array(start)
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
    switch text.first(where: { $0 > 0x20 }) {
    case UInt8(ascii: "{"), UInt8(ascii: "["): return .store(.json)
    case UInt8(ascii: "<"): return .model
    default: return nil
    }
  }

  private static func kind(ofFolder path: String) throws(CommandFailure) -> FileKind {
    let url = URL(filePath: path)
    switch url.pathExtension {
    case "xcdatamodeld", "xcdatamodel": return .model
    case "momd": return .compiledModel
    default:
      let contents = url.appending(path: "contents").path(percentEncoded: false)
      if FileManager.default.fileExists(atPath: contents) { return .model }
      throw CommandFailure(
        "'\(path.escapedForTerminal)' is a folder",
        advice: "Name a store's file, or an '.xcdatamodeld'."
      )
    }
  }

  private static func isOrdinary(_ path: String) -> Bool {
    let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    let attributes = try? FileManager.default.attributesOfItem(atPath: target)
    return attributes?[.type] as? FileAttributeType == .typeRegular
  }
}

extension FileKind {
  /// The kind of a store that a command needs.
  ///
  /// - Throws: ``CommandFailure`` when the file is no store.
  static func store(at path: String) throws(CommandFailure) -> FileFormat {
    switch try FileKind(of: path) {
    case .store(let format): return format
    case .model, .compiledModel:
      throw CommandFailure(
        "'\(path.escapedForTerminal)' is a model, not a store",
        advice: "Name a store's file."
      )
    }
  }
}
