// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Where stores go that nobody has given a place.
enum DefaultLocation {
  /// The file of a name in the user's data folder, which is created.
  ///
  /// That is `$XDG_DATA_HOME/NAME/NAME.sqlite`, by default below `~/.local/share`; on Apple systems
  /// the folder lies in Application Support.
  static func file(named name: String) throws(PerennialError) -> URL {
    guard !["", ".", ".."].contains(name),
      !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") })
    else {
      throw PerennialError(
        .persistentStoreOpen,
        "A container's name must be a file name, without '/'.",
        recovery: "use a plain name, or describe the store with a URL"
      )
    }
    let folder = dataFolder.appending(path: name, directoryHint: .isDirectory)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw PerennialError(
        .persistentStoreOpen,
        "The folder '\(folder.path)' cannot be created.",
        recovery: "make it writable, or describe the store with a URL",
        underlying: error
      )
    }
    return folder.appending(path: name + ".sqlite", directoryHint: .notDirectory)
  }

  private static var dataFolder: URL {
    #if canImport(Darwin)
    return URL.applicationSupportDirectory
    #else
    let environment = ProcessInfo.processInfo.environment
    if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") {
      return URL(filePath: folder, directoryHint: .isDirectory)
    }
    return URL.homeDirectory.appending(path: ".local/share", directoryHint: .isDirectory)
    #endif
  }
}
