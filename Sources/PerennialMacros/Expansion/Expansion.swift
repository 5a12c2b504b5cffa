// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a macro answers: source to add, or errors.
struct Expansion: Equatable {
  /// The source; empty after an error, since half an expansion only causes further errors.
  var source = ""
  /// The errors.
  var diagnostics: [Diagnostic] = []
}

extension Expansion {
  /// The answer as the protocol has it.
  var answer: JSON {
    [
      "expandMacroResult": [
        "expandedSource": .string(source),
        "diagnostics": .array(diagnostics.map(\.json)),
      ]
    ]
  }
}
