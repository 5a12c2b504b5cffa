// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension PerennialError {
  /// What is wrong with the text of a store's file.
  init(_ fault: JSONFault, store: String, line: Int?) {
    let place = line.map { ", line \($0)" } ?? ""
    self.init(
      .persistentStoreOpen,
      "The store '\(store)' cannot be read\(place): \(fault.message).",
      recovery: fault.recovery
        ?? "if you have edited it, correct that; else restore it from a copy; the file has been left as it is",
      underlying: fault
    )
  }

  /// A failure of the system as users see it: what is wrong with which store, and the cure.
  init(_ failure: FileFailure, during activity: StoreActivity, store: String) {
    let code: Code = activity == .saving ? .persistentStoreSave : .persistentStoreOpen
    var (message, recovery): (String, String) =
      switch failure.code {
      case _ where failure.isAboutFullDisk:
        (
          "The disk of the store '\(store)' is full.",
          "free some space and save again: nothing was written"
        )
      case _ where failure.isForbidden:
        activity == .saving
          ? (
            "The store '\(store)' cannot be written.",
            "allow writing to the file and its folder, or open it with 'isReadOnly'"
          )
          : ("The store '\(store)' cannot be read.", "allow reading the file and its folder")
      case ELOOP where failure.step == .create || failure.step == .lock:
        (
          "A file beside the store '\(store)' is a symbolic link.",
          "remove '\(store).new' and '\(store).lock'"
        )
      case ELOOP where failure.step == .openFolder, ENOTDIR where failure.step == .openFolder:
        (
          "The folder '\(store).values' of large values is a symbolic link, or no folder.",
          "put a folder in its place"
        )
      case _ where failure.isAboutMissingFile && activity == .opening:
        (
          "There is no store '\(store)', or not the folder that it is to be in.",
          "check the path, and make the folder"
        )
      case _ where failure.isAboutMissingFile:
        (
          "The store '\(store)' or its folder is gone.",
          "put it back where it was opened, or save to another store"
        )
      default:
        (
          "The system failed while \(activity.words) the store '\(store)': \(failure.words).",
          "check the disk and try again: the file has been left as it is"
        )
      }
    if failure.step == .syncFolder {
      recovery = "try again: the change may be on the disk already, wholly"
    }
    self.init(code, message, recovery: recovery, underlying: failure)
  }

  /// A store that cannot be opened, and the cure.
  static func cannotOpen(_ message: String, _ recovery: String) -> PerennialError {
    PerennialError(.persistentStoreOpen, message, recovery: recovery)
  }

  /// A store whose entity has had as many objects as there are keys.
  static func noKeys(_ entity: String, _ store: String) -> PerennialError {
    PerennialError(
      .persistentStoreSave,
      "The store '\(store)' has no keys left for objects of '\(entity)'.",
      recovery: "copy its objects into a new store, where they get new keys",
      entity: entity
    )
  }

  /// A store that somebody else writes all the time.
  static func locked(_ store: String) -> PerennialError {
    PerennialError(
      .persistentStoreTimeout,
      "The store '\(store)' is locked by another process.",
      recovery: "try again, or raise 'busyTimeout' of the store's description"
    )
  }
}

extension FileFailure {
  /// The step and the system's words.
  fileprivate var words: String {
    let step =
      switch step {
      case .look: "looking at the file"
      case .open: "opening the file"
      case .create: "making a file beside it"
      case .read: "reading"
      case .write: "writing"
      case .sync: "waiting for the disk"
      case .rename: "putting the new file in place"
      case .remove: "removing a file beside it"
      case .lock: "locking"
      case .openFolder: "opening its folder"
      case .makeFolder: "making a folder beside it"
      case .list: "listing a folder beside it"
      case .syncFolder: "waiting for the disk's folder"
      }
    return "\(step), \(message)"
  }
}

extension FileFailure {
  /// A file that is not there any more.
  static let gone = FileFailure(.look, ENOENT)
}
