// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console

extension ParsedArguments {
  /// The text of a positional argument that the parser has made sure of.
  func word(_ positional: Positional) -> String { self[positional] ?? "" }
}
