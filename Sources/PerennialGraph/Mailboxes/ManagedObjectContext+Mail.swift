// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// What a context keeps for its mail.
struct MailState {
  /// The mailbox of a context that merges by itself.
  var mailbox: Mailbox?
  /// What wakes a context that has an isolation of its own.
  var wake: (@Sendable () -> Void)?
  /// The rows that edits have kept from being merged: they are read as soon as they do not.
  var putOff = DoubtfulRows()
  /// Whether saves were forgotten, so that everything is read again then.
  var hasMissed = false
  var hasPutOff: Bool { hasMissed || !putOff.isEmpty }
  /// The greatest number of the saves that have been merged, or that rows were read after, but for what was put off.
  var lastMerged = 0
  /// The number of this context's last save that stored a deleted row again: mail from before it may tell of the
  /// deletion.
  var lastStoredAgain = 0
  /// Whether others have deleted rows of objects with edits, in this unit of work.
  var hasLostRows = false
  /// How many saves there were when the context began, or last read everything again, and its own since.
  ///
  /// With more of them others have saved, or contexts above.
  var knownSaves = 0
  /// What the context of a batch request has saved, for the one that executes it; `nil` in others.
  var ownSaves: [CommittedChanges]?
  /// Whether others had saved before the mailbox was there, so that not all has come in.
  var beganLate = false
  /// Which unit of work the next save tries, after attempts that failed.
  var unitOfWork: UInt64?
  /// Whether mail is being merged: a call from within waits for its turn.
  var isReceiving = false
  var author: String?
  var userInfo: [AnyHashable: Any] = [:]
}

extension ManagedObjectContext {
  /// The author of this context's changes, which goes with every save to the history and to other contexts.
  ///
  /// Core Data: `NSManagedObjectContext.transactionAuthor`.
  public var transactionAuthor: String? {
    get { mail.author }
    set { mail.author = newValue }
  }

  /// Whatever your program wants to keep with the context.
  ///
  /// Core Data: `NSManagedObjectContext.userInfo`.
  public var userInfo: [AnyHashable: Any] {
    get { mail.userInfo }
    set {
      let old = mail.userInfo
      mail.userInfo = newValue
      withExtendedLifetime(old) {}
    }
  }
}

extension ManagedObjectContext {
  /// Whether the context merges by itself what other contexts of its container save.
  ///
  /// The saves are merged in their order: by ``processPendingChanges()``, before a fetch and a save, and, in a
  /// context that has an isolation, by a job there soon after each save. ``mergeChanges(fromContextDidSave:)`` says
  /// how. The context begins with what is saved after this property was set. Setting it to `false` drops what has
  /// come in and is not merged yet.
  ///
  /// A fetch and a save hide no conflict. They do not merge an object that has an unsaved change of a property that
  /// another context has saved, nor one that is deleted here and was changed there. So a counter that is read, raised
  /// and saved without a pause loses no update. ``processPendingChanges()`` and the job do merge such objects; to
  /// find these conflicts, too, use ``detectConflicts(for:)``.
  ///
  /// A child context merges, at once, what its parent saves, what its parent merges, and what the parent's other
  /// children save. What its parent has changed and not saved stays in conflict with the child's own changes of the
  /// same properties.
  ///
  /// False by default, as in Core Data, but true for a container's view context, which shows what is stored.
  ///
  /// Core Data: `NSManagedObjectContext.automaticallyMergesChangesFromParent`.
  public var automaticallyMergesChangesFromParent: Bool {
    get { parent == nil ? mail.mailbox != nil : family.mergesFromParent }
    set {
      guard newValue != automaticallyMergesChangesFromParent else { return }
      guard parent == nil else {
        family.mergesFromParent = newValue
        return
      }
      if newValue { openMailbox(Mailbox()) } else { closeMailbox() }
    }
  }

  /// The number of saves of all contexts, if this one has merged those of the others; `nil` when some wait, and
  /// when it does not merge by itself.
  var mergedSaves: Int? {
    let number = coordinator.saveNumber
    guard let mailbox = mail.mailbox, mailbox.isEmpty, !mail.hasPutOff,
      liveResults.isUpToDate
    else { return nil }
    return number
  }

  /// Whether others may have saved what the rows of this context do not tell; for a child also the contexts above.
  var mayHaveMissedSaves: Bool {
    if mail.hasLostRows { return true }
    if let mailbox = mail.mailbox {
      return !mailbox.isEmpty || mail.hasPutOff || mail.beganLate
    }
    return coordinator.saveNumber != mail.knownSaves
      || parent.map { $0.hasEdits || $0.mayHaveMissedSaves } == true
  }

  /// Notes that all rows have been read when there had been so many saves.
  func noteAllRead(at number: Int) {
    mail.knownSaves = number
    mail.beganLate = false
  }

  func openMailbox(_ mailbox: Mailbox) {
    mail.mailbox = mailbox
    if let wake = mail.wake { mailbox.onPost(wake) }
    coordinator.registry.add(mailbox)
    // Later: what is saved from here on comes in.
    mail.beganLate = coordinator.saveNumber != mail.knownSaves
  }

  private func closeMailbox() {
    if let mailbox = mail.mailbox { coordinator.registry.remove(mailbox) }
    mail.mailbox = nil
    (mail.putOff, mail.hasMissed) = (DoubtfulRows(), false)
  }
}
