// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Synchronization

/// The mailboxes of a container's contexts.
///
/// A mailbox belongs to its context and goes with it; nothing here keeps either alive.
final class MailboxRegistry: Sendable {
  private struct Entry {
    weak let mailbox: Mailbox?
  }

  private let entries = Mutex<[Entry]>([])

  /// The mailboxes that contexts have.
  var mailboxes: [Mailbox] {
    entries.withLock { entries in
      let live = entries.compactMap(\.mailbox)
      if live.count < entries.count { entries.removeAll { $0.mailbox == nil } }
      return live
    }
  }

  func add(_ mailbox: Mailbox) {
    entries.withLock { entries in
      entries.removeAll { $0.mailbox == nil }
      entries.append(Entry(mailbox: mailbox))
    }
  }

  func remove(_ mailbox: Mailbox) {
    entries.withLock { entries in
      entries.removeAll { $0.mailbox == nil || $0.mailbox === mailbox }
    }
  }

  /// Puts a save into every mailbox but that of the context that saved.
  func post(_ save: CommittedChanges, except sender: Mailbox?) {
    for mailbox in mailboxes where mailbox !== sender { mailbox.post(save) }
  }

  /// Makes the contexts of all mailboxes but one read their objects again.
  func postUnknownChanges(except sender: Mailbox?) {
    for mailbox in mailboxes where mailbox !== sender { mailbox.postUnknownChanges() }
  }
}

extension StoreCoordinator {
  /// How many mailboxes there are, for tests.
  package var mailboxCount: Int { registry.mailboxes.count }
}
