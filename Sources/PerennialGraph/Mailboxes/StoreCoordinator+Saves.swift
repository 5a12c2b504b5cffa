// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension StoreCoordinator {
  /// Every save from now on, of any context, in order.
  ///
  /// - Returns: A stream that ends with its reader, and keeps the newest 1,000 saves for it.
  package func saves() -> AsyncStream<CommittedChanges> {
    let registry = registry
    return AsyncStream(bufferingPolicy: .bufferingNewest(1_000)) { continuation in
      // It is emptied at once, whatever the size of a save: the stream is what has a bound.
      let mailbox = Mailbox(limits: Mailbox.Limits(saves: .max, bytes: .max))
      mailbox.onPost { [weak mailbox] in
        for save in mailbox?.take().saves ?? [] { continuation.yield(save) }
      }
      registry.add(mailbox)
      // Holds the mailbox as long as there is a reader.
      continuation.onTermination = { _ in registry.remove(mailbox) }
    }
  }
}
