// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a macro answers: source to add, perhaps with warnings, or errors.
struct Expansion: Equatable {
  /// The source; after an error empty or neutral, since half an expansion causes further errors.
  var source = ""
  /// The errors or warnings.
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
