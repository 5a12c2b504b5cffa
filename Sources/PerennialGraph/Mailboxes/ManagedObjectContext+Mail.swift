// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// What a context keeps for its mail.
struct MailState {
  /// The mailbox of a context that merges by itself.
  var mailbox: Mailbox?
  /// What wakes a context that has an isolation of its own.
  var wake: (@Sendable () -> Void)?
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
}

extension ManagedObjectContext {
  /// Whether the context merges what other contexts of its container save, by itself.
  ///
  /// The changes come in the order of the saves: before a fetch, a save and
  /// ``processPendingChanges()``, and, in a context that has an isolation, soon after the save. How
  /// they are merged says ``mergeChanges(fromContextDidSave:)``. A context begins with what is saved
  /// after this was set. Setting it to `false` forgets what has come in.
  ///
  /// False by default, as in Core Data, but true for a container's view context, which shows what is
  /// stored. Merging means that the context's saves of older values are no conflicts any more.
  ///
  /// Core Data: `NSManagedObjectContext.automaticallyMergesChangesFromParent`.
  public var automaticallyMergesChangesFromParent: Bool {
    get { mail.mailbox != nil }
    set {
      guard newValue != automaticallyMergesChangesFromParent else { return }
      if newValue { openMailbox(Mailbox()) } else { closeMailbox() }
    }
  }

  func openMailbox(_ mailbox: Mailbox) {
    mail.mailbox = mailbox
    if let wake = mail.wake { mailbox.onPost(wake) }
    coordinator.registry.add(mailbox)
  }

  private func closeMailbox() {
    if let mailbox = mail.mailbox { coordinator.registry.remove(mailbox) }
    mail.mailbox = nil
  }
}
