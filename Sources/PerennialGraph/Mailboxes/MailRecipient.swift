// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A context and the actor that it belongs to: lets anybody ask the actor to look into the mailbox.
///
/// Safe because the context is touched in ``receive(_:)`` only, which runs on the actor, and the
/// compiler keeps the context there: it is given out by functions that are isolated to the actor and
/// whose results are not `sending`. The references are weak and never written, and a weak load is
/// atomic.
///
/// Why there is no way without `@unchecked`: what the compiler accepts instead is a closure isolated
/// to the actor, and such a closure retains the actor; kept for the next mail, it makes a cycle of
/// actor, context, mailbox and closure, so that neither would ever be freed. A weak reference to a
/// non-Sendable class that is used only after a hop to its isolation has no spelling that is checked.
/// The main actor is never freed: there `receivesMailOnMainActor()` needs none of this.
struct MailRecipient: @unchecked Sendable {
  private weak let context: ManagedObjectContext?
  private weak let isolation: (any Actor)?

  init(_ context: ManagedObjectContext, on isolation: any Actor) {
    self.context = context
    self.isolation = isolation
  }

  /// Makes the actor receive, soon.
  func wake() {
    guard let isolation else { return }
    Task { await receive(isolation) }
  }

  private func receive(_ isolation: isolated any Actor) { context?.receiveMail() }

  /// Makes the actor end the current event, soon.
  func endEvent() {
    guard let isolation else { return }
    Task { await endEvent(isolation) }
  }

  private func endEvent(_ isolation: isolated any Actor) { context?.endEventByItself() }
}

extension ManagedObjectContext {
  /// Merges what other contexts save, in a job on the caller's actor soon after each save.
  ///
  /// This is for a context that was made in a synchronous initialiser, where its actor could not be known.
  ///
  /// ```swift
  /// actor Library {
  ///   private let context: ManagedObjectContext
  ///   init(_ container: PersistentContainer) { context = container.newBackgroundContext() }
  ///   func follow() { context.mergeAutomatically() }
  /// }
  /// ```
  ///
  /// - Parameter isolation: The actor on which the context stays: the caller's.
  public func mergeAutomatically(isolation: isolated (any Actor)? = #isolation) {
    receivesMail(on: isolation)
    automaticallyMergesChangesFromParent = true
  }

  /// Makes mail wake the context's actor.
  ///
  /// - Parameter isolation: The actor that the context stays on; `nil` changes nothing.
  package func receivesMail(on isolation: isolated (any Actor)?) {
    guard let isolation else { return }
    let recipient = MailRecipient(self, on: isolation)
    receivesMail { recipient.wake() }
  }

  /// Makes events end by a job on the context's actor, unless they do so already.
  ///
  /// - Parameter isolation: The actor that the context stays on; `nil` changes nothing.
  func endsEvents(on isolation: isolated (any Actor)?) {
    guard let actor = isolation, notices.onFirstChange == nil else { return }
    let recipient = MailRecipient(self, on: actor)
    notices.onFirstChange = { recipient.endEvent() }
    if mail.wake == nil { receivesMail(on: isolation) }
  }

  /// Makes mail wake the main actor.
  @MainActor package func receivesMailOnMainActor() {
    let receive: @MainActor @Sendable () -> Void = { [weak self] in self?.receiveMail() }
    receivesMail { Task { await receive() } }
  }

  private func receivesMail(waking wake: @escaping @Sendable () -> Void) {
    mail.wake = wake
    mail.mailbox?.onPost(wake)
  }
}
