// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

// Typed notices: callbacks in the context's isolation, and a stream of IDs for everywhere else.

extension ManagedObjectContext {
  /// Calls a closure whenever an event has changed objects.
  ///
  /// An event ends with ``processPendingChanges()``, which begins every fetch and save. The event of a view context
  /// also ends by itself, soon after its first change. What the closure changes belongs to the next event. A fetch
  /// that brings in new objects is no change.
  ///
  /// ```swift
  /// let token = context.onObjectsDidChange { changes in
  ///   table.reload(changes.updated)
  /// }
  /// ```
  ///
  /// Core Data: `NSManagedObjectContextObjectsDidChangeNotification`.
  ///
  /// - Parameter body: Called in the context's isolation, before `processPendingChanges()` returns.
  /// - Returns: A token: the callbacks come until it is cancelled or released.
  public func onObjectsDidChange(_ body: @escaping (ChangedObjects) -> Void) -> NoticeToken {
    listen(.objectsDidChange) { if case .objectsDidChange(let changes) = $0 { body(changes) } }
  }

  /// Calls a closure when a save begins, before the objects' `willSave()`.
  ///
  /// What the closure changes is saved too.
  ///
  /// Core Data: `NSManagedObjectContextWillSaveNotification`.
  ///
  /// - Parameter body: Called in the context's isolation.
  /// - Returns: A token that keeps the callbacks coming.
  public func onWillSave(_ body: @escaping () -> Void) -> NoticeToken {
    listen(.willSave) { _ in body() }
  }

  /// Calls a closure when a save has succeeded, with the objects that it wrote.
  ///
  /// Core Data: `NSManagedObjectContextDidSaveNotification`.
  ///
  /// - Parameter body: Called in the context's isolation, after the objects' `didSave()`. A deleted object is still
  ///   readable, but no longer has a context.
  /// - Returns: A token that keeps the callbacks coming.
  public func onDidSave(_ body: @escaping (ChangedObjects) -> Void) -> NoticeToken {
    listen(.didSave) { if case .didSave(let changes) = $0 { body(changes) } }
  }

  /// Calls a closure when a save has succeeded, with the IDs of the objects that it wrote.
  ///
  /// Core Data: `NSManagedObjectContextDidSaveObjectIDsNotification`.
  ///
  /// - Parameter body: Called in the context's isolation; the IDs may leave it.
  /// - Returns: A token that keeps the callbacks coming.
  public func onDidSaveObjectIDs(_ body: @escaping (ObjectChanges) -> Void) -> NoticeToken {
    listen(.didSaveObjectIDs) { if case .didSaveObjectIDs(let changes) = $0 { body(changes) } }
  }

  /// Calls a closure when changes that others saved have been merged into this context.
  ///
  /// Core Data: `NSManagedObjectContextDidMergeChangesObjectIDsNotification`.
  ///
  /// - Parameter body: Called in the context's isolation; the IDs may leave it.
  /// - Returns: A token that keeps the callbacks coming.
  public func onDidMergeObjectIDs(_ body: @escaping (ObjectChanges) -> Void) -> NoticeToken {
    listen(.didMerge) { if case .didMerge(let changes) = $0 { body(changes) } }
  }

  /// A stream of what happens in the context from now on.
  ///
  /// ```swift
  /// for await case .didSave(let changes) in context.events() { upload(changes.inserted) }
  /// ```
  ///
  /// The stream carries only IDs, never objects: a consumer runs later than the change and maybe elsewhere, and the
  /// compiler could not keep objects in their isolation on the way. Use the callbacks where you need objects. Nothing
  /// is dropped, so a consumer that stops reading must end its loop. The stream ends with the context.
  ///
  /// - Returns: A new stream for every call.
  public func events() -> AsyncStream<ContextEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: ContextEvent.self)
    let sink = EventSink(continuation)
    let interests: Listeners.Interests = [
      .objectsDidChange, .willSave, .didSaveObjectIDs, .didMerge,
    ]
    _ = addListener(interests) { sink.yield(ContextEvent($0)) }
    return stream
  }

  private func listen(
    _ interest: Listeners.Interests,
    _ hear: @escaping (Listeners.Notice) -> Void
  ) -> NoticeToken {
    let number = addListener(interest) {
      hear($0)
      return true
    }
    return NoticeToken(self, number)
  }

  private func addListener(
    _ interests: Listeners.Interests,
    _ hear: @escaping (Listeners.Notice) -> Bool
  ) -> Int {
    let number = notices.listeners.add(interests, hear)
    updateTracking()
    return number
  }

  func removeListener(_ number: Int) {
    let removed = notices.listeners.remove(number)
    updateTracking()
    withExtendedLifetime(removed) {}
  }

  /// Tells listeners and the notification centre.
  func tell(_ notice: Listeners.Notice) {
    for (number, hear) in notices.listeners.listeners(to: notice)
    where notices.listeners.contains(number) && !hear(notice) {
      removeListener(number)
    }
    post(notice)
  }
}

/// The end of a stream at which its context stands; the stream finishes when it is released.
private final class EventSink {
  private let continuation: AsyncStream<ContextEvent>.Continuation

  init(_ continuation: AsyncStream<ContextEvent>.Continuation) {
    self.continuation = continuation
  }

  deinit { continuation.finish() }

  /// Hands an event over.
  ///
  /// - Returns: Whether anybody can still receive events.
  func yield(_ event: ContextEvent) -> Bool {
    if case .terminated = continuation.yield(event) { return false }
    return true
  }
}
