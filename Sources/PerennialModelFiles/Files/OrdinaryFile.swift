// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Reads the files of models, links followed, but nothing that waits for others, or has no end.
enum OrdinaryFile {
  /// Why a file is not read.
  struct Problem: Error {
    let reason: String
    let recovery: String
  }

  /// The bytes that a file of a model may have at most.
  private static let byteLimit = 256 << 20

  /// The bytes of a file.
  ///
  /// - Throws: Why it is not read.
  static func contents(of url: URL) throws(Problem) -> Data {
    let file = url.resolvingSymlinksInPath()
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path) else {
      throw Problem(reason: "there is no such file", recovery: "check the path")
    }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw Problem(reason: "it is not an ordinary file", recovery: "check the path")
    }
    guard (attributes[.size] as? NSNumber)?.intValue ?? 0 <= byteLimit else {
      throw Problem(reason: "it has more than \(byteLimit >> 20) MiB", recovery: "check the path")
    }
    guard let data = try? Data(contentsOf: file) else {
      throw Problem(reason: "the file cannot be opened", recovery: "allow reading it")
    }
    return data
  }

  /// What a property list has; `nil` when it is damaged, or has something else.
  static func decode<List: Decodable>(_ type: List.Type, from data: Data) -> List? {
    // Of what has a set in it, as no property list has, Foundation may make what ends the program.
    guard !data.starts(with: Data("bplist".utf8)) || (try? BinaryPropertyList(data)) != nil else {
      return nil
    }
    return try? PropertyListDecoder().decode(type, from: data)
  }
}
