// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// A `.mom` file, and the `VersionInfo.plist` that lies beside it in a `.momd` folder.
struct CompiledFile {
  private let url: URL

  init(_ url: URL) { self.url = url }

  /// Reads the model.
  ///
  /// - Throws: `invalidModel`: what is wrong.
  func document(named name: String) throws(PerennialError) -> ModelDocument {
    let data: Data
    do throws(OrdinaryFile.Problem) {
      data = try OrdinaryFile.contents(of: url)
    } catch {
      throw .unreadableModel(url.lastPathComponent, error.reason, error.recovery)
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
    let file = folder.appending(path: "VersionInfo.plist")
    return (try? OrdinaryFile.contents(of: file)).flatMap {
      OrdinaryFile.decode(VersionInfo.self, from: $0)
    }
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
