// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Why the command cannot do its work, and what to do about it.
struct PluginFailure: Error, CustomStringConvertible {
  let description: String

  init(_ message: String, advice: String) {
    description = "\(message)\n\(advice)"
  }
}
