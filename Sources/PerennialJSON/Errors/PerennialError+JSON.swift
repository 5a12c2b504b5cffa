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
      recovery: fault.recovery ?? "restore it from a copy; the file has been left as it is",
      underlying: fault
    )
  }

  /// A failure of the system as users see it: what is wrong with which store, and the cure.
  init(_ failure: FileFailure, during activity: StoreActivity, store: String) {
    let code: Code = activity == .saving ? .persistentStoreSave : .persistentStoreOpen
    let (message, recovery): (String, String) =
      switch failure.code {
      case ENOSPC, EDQUOT:
        (
          "The disk of the store '\(store)' is full.",
          "free some space and save again: nothing was written"
        )
      case EACCES, EPERM, EROFS:
        activity == .saving
          ? (
            "The store '\(store)' cannot be written.",
            "allow writing to the file and its folder, or open it with 'isReadOnly'"
          )
          : ("The store '\(store)' cannot be read.", "allow reading the file and its folder")
      case ENOENT, ENOTDIR:
        (
          "The store '\(store)' or its folder is gone.",
          "put it back where it was opened, or save to another store"
        )
      case ELOOP where failure.step == .create || failure.step == .lock:
        (
          "A file beside the store '\(store)' is a symbolic link.",
          "remove '\(store).new' and '\(store).lock'"
        )
      default:
        (
          "The system failed while \(activity.words) the store '\(store)': \(failure.words).",
          failure.step == .syncFolder
            ? "save again: the change may be on the disk already, wholly"
            : "check the disk and try again: the file has been left as it is"
        )
      }
    self.init(code, message, recovery: recovery, underlying: failure)
  }

  /// A store that cannot be opened, and the cure.
  static func cannotOpen(_ message: String, _ recovery: String) -> PerennialError {
    PerennialError(.persistentStoreOpen, message, recovery: recovery)
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
    let reason = String(cString: strerror(code))
    return switch step {
    case .look: "looking at the file, \(reason)"
    case .open: "opening the file, \(reason)"
    case .create: "making a file beside it, \(reason)"
    case .read: "reading, \(reason)"
    case .write: "writing, \(reason)"
    case .sync: "waiting for the disk, \(reason)"
    case .rename: "putting the new file in place, \(reason)"
    case .remove: "removing a file beside it, \(reason)"
    case .syncFolder: "waiting for the disk's folder, \(reason)"
    case .lock: "locking, \(reason)"
    }
  }
}

/// Why nothing can be made in a folder.
enum FolderFailure {
  static func isMissing(_ failure: FileFailure) -> Bool {
    failure.code == ENOENT || failure.code == ENOTDIR
  }

  static func isForbidden(_ failure: FileFailure) -> Bool {
    [EACCES, EPERM, EROFS].contains(failure.code)
  }
}

extension FileFailure {
  /// A file that is not there any more.
  static let gone = FileFailure(.look, ENOENT)
}
