// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// What a context keeps for its mail.
struct MailState {
  /// The mailbox of a context that merges by itself.
  var mailbox: Mailbox?
  /// What wakes a context that has an isolation of its own.
  var wake: (@Sendable () -> Void)?
  /// What the save that runs has written.
  var latestSave: CommittedChanges?
  /// Whether mail is being merged: a call from within waits for its turn.
  var isReceiving = false
  var author: String?
  var userInfo: [AnyHashable: Any] = [:]
}

extension ManagedObjectContext {
  /// Who is behind the changes of this context: goes with every save, to whom it may concern.
  ///
  /// Core Data: `NSManagedObjectContext.transactionAuthor`.
  public var transactionAuthor: String? {
    get { mail.author }
    set { mail.author = newValue }
  }

  /// Whatever the program wants to keep with the context.
  ///
  /// Core Data: `NSManagedObjectContext.userInfo`.
  public var userInfo: [AnyHashable: Any] {
    get { mail.userInfo }
    set { mail.userInfo = newValue }
  }

  /// Tells observers of the save that has just been done.
  func announceSave() {
    guard let save = mail.latestSave else { return }
    mail.latestSave = nil
    noteSaved(save)
  }

  /// Merges what has come in.
  func receiveMail() {}
}
