// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// An error or a warning at a place in the user's source.
struct Diagnostic: Equatable {
  /// A change that the user may accept.
  struct FixIt: Equatable {
    /// What it does.
    var message: String
    /// The place, in the source that was scanned.
    var range: Range<Int>
    /// The text to put there.
    var newText: String
  }

  /// What is wrong, and what to do.
  var message: String
  /// The source that the ranges belong to.
  var source: SourceText
  /// Its place, in the source that was scanned.
  var range: Range<Int>
  /// Changes to choose from.
  var fixIts: [FixIt]
  /// Whether the source compiles all the same.
  let isWarning: Bool

  /// Makes an error, or a warning when the message is one.
  init(_ message: Message, in source: SourceText, at range: Range<Int>, fixIts: [FixIt] = []) {
    self.message = message.text
    self.source = source
    self.range = range
    self.fixIts = fixIts
    isWarning = message.isWarning
  }
}

extension Diagnostic {
  /// The diagnostic as the protocol has it.
  var json: JSON {
    [
      "message": .string(message),
      "severity": .string(isWarning ? "warning" : "error"),
      "position": [
        "fileName": .string(source.fileName),
        "offset": .integer(source.offset + range.lowerBound),
      ],
      "highlights": .array(range.isEmpty ? [] : [json(range)]),
      "notes": .array([]),
      "fixIts": .array(fixIts.map(json)),
    ]
  }

  private func json(_ fixIt: FixIt) -> JSON {
    [
      "message": .string(fixIt.message),
      "changes": .array([["range": json(fixIt.range), "newText": .string(fixIt.newText)]]),
    ]
  }

  private func json(_ range: Range<Int>) -> JSON {
    [
      "fileName": .string(source.fileName),
      "startOffset": .integer(source.offset + range.lowerBound),
      "endOffset": .integer(source.offset + range.upperBound),
    ]
  }
}
