// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
/// A password, which no description and no dump shows.
package struct PostgresPassword: Sendable, Hashable {
  /// The password itself, for libpq only.
  let text: String

  package init(_ text: String) { self.text = text }
}

extension PostgresPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  package var description: String { "…" }
  package var debugDescription: String { "…" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
