// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

extension PerennialError {
  /// A failure of SQLite as users see it: what is wrong with which store, and the cure.
  init(_ failure: SQLiteFailure, during activity: StoreActivity, store: String) {
    if failure.primaryCode == SQLiteFailure.interrupt {
      self = .fetchCancelled
      return
    }
    if failure == .openedBeforeFork {
      self = .openedBeforeFork(store)
      return
    }
    if let error = FunctionFailure.error(of: failure.message) {
      self = error
      return
    }
    if let (words, cure) = failure.systemLimit {
      let isUnopened = failure.primaryCode == SQLiteFailure.cannotOpen || activity == .opening
      self.init(
        isUnopened ? .persistentStoreOpen : .sqlite,
        "The system failed while \(activity.words) the store '\(store)': \(words).",
        recovery: cure,
        underlying: failure
      )
      return
    }
    let (code, message, recovery): (Code, String, String) =
      switch failure.primaryCode {
      case SQLiteFailure.busy, SQLiteFailure.locked:
        (
          .persistentStoreTimeout, "The store '\(store)' is locked by another process.",
          "try again, or raise 'busyTimeout' of the store's description"
        )
      case _ where failure.isAboutFullDisk:
        (
          .persistentStoreSave, "The disk of the store '\(store)' is full.",
          "free some space and save again: nothing was written"
        )
      case _ where failure.code == SQLiteFailure.readOnlyRollback:
        (
          .persistentStoreOpen,
          "A crash has left the store '\(store)' in the middle of a save, which must be undone first.",
          "open it once without 'isReadOnly'"
        )
      case _ where failure.code == SQLiteFailure.readOnlyMoved:
        (
          activity == .saving ? .persistentStoreSave : .persistentStoreOpen,
          "The file of the store '\(store)' was moved, deleted or replaced while the store was open.",
          "open the store again"
        )
      case SQLiteFailure.readOnly:
        (
          .persistentStoreSave, "The store '\(store)' cannot be written.",
          "allow writing to the file and its folder, or open it with 'isReadOnly'"
        )
      case SQLiteFailure.notADatabase:
        (
          .persistentStoreOpen, "'\(store)' is not a SQLite database.",
          "check the URL; the file has been left as it is"
        )
      case SQLiteFailure.corrupt:
        (
          .sqlite, "The store '\(store)' is damaged: \(failure.message).",
          "restore it from a copy, or recover its rows with 'sqlite3 FILE .recover'"
        )
      case SQLiteFailure.cannotOpen:
        (
          .persistentStoreOpen, "The store '\(store)' cannot be opened.",
          "check that its folder exists and that the file and its folder can be read and written"
        )
      case SQLiteFailure.ioError:
        (
          .sqlite, "The disk failed while \(activity.words) the store '\(store)'.",
          "check the disk and open the store again: a failed save is there wholly or not at all"
        )
      default:
        (
          activity == .opening ? .persistentStoreOpen : .sqlite,
          "SQLite failed while \(activity.words) the store '\(store)': \(failure.message).",
          "see SQLite's result code \(failure.code)"
        )
      }
    self.init(code, message, recovery: recovery, underlying: failure)
  }

  /// A store that cannot be opened, and the cure.
  static func cannotOpen(_ message: String, _ recovery: String) -> PerennialError {
    PerennialError(.persistentStoreOpen, message, recovery: recovery)
  }
}
