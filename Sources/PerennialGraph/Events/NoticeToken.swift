// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Keeps a callback of a context active until the token is cancelled or released.
///
/// A token stays where its context is.
public final class NoticeToken {
  private weak var context: ManagedObjectContext?
  private let number: Int

  init(_ context: ManagedObjectContext, _ number: Int) {
    self.context = context
    self.number = number
  }

  deinit { cancel() }

  /// Ends the callbacks; cancelling twice does nothing.
  public func cancel() {
    context?.removeListener(number)
    context = nil
  }
}

@available(*, unavailable, message: "a token stays with its context")
extension NoticeToken: Sendable {}
