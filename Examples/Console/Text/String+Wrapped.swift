// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension String {
  /// The text in lines of at most some columns, broken between words.
  ///
  /// - Parameter width: The columns of a line; a word that is wider has a line for itself.
  /// - Returns: The lines, none for a text without words.
  func lines(ofWidth width: Int) -> [String] {
    var lines: [String] = []
    for word in split(whereSeparator: \.isWhitespace) {
      if let last = lines.last, last.displayWidth + 1 + String(word).displayWidth <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  /// The paragraphs of a text that has empty lines between them, each without line breaks.
  var paragraphs: [String] {
    split(separator: "\n\n").map { paragraph in
      paragraph.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }
}
