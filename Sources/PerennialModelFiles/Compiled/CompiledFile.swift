// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// A `.mom` file, and the `VersionInfo.plist` that lies beside it in a `.momd` folder.
struct CompiledFile {
  private let url: URL

  init(_ url: URL) { self.url = url }

  /// The bytes that a compiled model may have at most.
  private static let byteLimit = 256 * 1024 * 1024

  /// Reads the model.
  ///
  /// - Throws: `invalidModel`: what is wrong.
  func document(named name: String) throws(PerennialError) -> ModelDocument {
    let data: Data
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
      guard attributes[.type] as? FileAttributeType == .typeRegular, size <= Self.byteLimit else {
        throw CocoaError(.fileReadUnknown)
      }
      data = try Data(contentsOf: url)
    } catch {
      throw .unreadableModel(url.lastPathComponent, "there is no such file", "check the path")
    }
    let info = Self.info(in: url.deletingLastPathComponent())
    return try CompiledModelReader(named: name)
      .document(data, hashes: info?.versionHashes?[name])
  }

  private struct VersionInfo: Decodable {
    var currentVersionName: String?
    var versionHashes: [String: [String: Data]]?

    enum CodingKeys: String, CodingKey {
      case currentVersionName = "NSManagedObjectModel_CurrentVersionName"
      case versionHashes = "NSManagedObjectModel_VersionHashes"
    }
  }

  private static func info(in folder: URL) -> VersionInfo? {
    guard let data = try? Data(contentsOf: folder.appending(path: "VersionInfo.plist")) else {
      return nil
    }
    return try? PropertyListDecoder().decode(VersionInfo.self, from: data)
  }

  /// The name of the version in use of a `.momd` folder.
  ///
  /// - Throws: `invalidModel` when the folder does not say, or names one that is not there.
  static func current(of names: [String], in folder: URL) throws(PerennialError) -> String {
    guard let name = info(in: folder)?.currentVersionName else {
      let file = folder.appending(path: "VersionInfo.plist")
      let isThere = FileManager.default.fileExists(atPath: file.path)
      let reason = isThere ? "its 'VersionInfo.plist' does not say" : "no 'VersionInfo.plist' says"
      throw .unreadableModel(
        folder.lastPathComponent,
        "it has \(names.count) versions, and \(reason) which is in use",
        "give one of its '.mom' files"
      )
    }
    guard names.contains(name) else {
      throw .unreadableModel(
        folder.lastPathComponent,
        "its current version '\(name)' is not there",
        PerennialError.suggestion(for: name, among: names)
      )
    }
    return name
  }
}
