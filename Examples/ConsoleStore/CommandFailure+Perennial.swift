// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console
import Foundation
public import Perennial

extension CommandFailure {
  /// What the user reads about an error of the store.
  public init(_ error: PerennialError) {
    self.init(
      error.message.shownLines.withoutFullStop,
      advice: error.recovery.shownLines.asSentence,
      status: error.code == .persistentStoreTimeout ? .tryLater : .failure
    )
  }
}

extension PerennialError {
  /// Whether a predicate format may have caused the error.
  public var isAboutFormat: Bool {
    [.predicateFormat, .predicateEvaluation, .unknownName, .typeMismatch].contains(code)
  }
}

extension String {
  /// The lines of a text of the library, safe to show.
  fileprivate var shownLines: String {
    linesEscapedForTerminal.joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
  }

  fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }

  /// The text with a capital letter and a full stop; a command at its beginning stays as it is.
  fileprivate var asSentence: String {
    guard let first, first.isLetter else { return self }
    let end = last.map { ".?!:'".contains($0) } ?? true ? "" : "."
    return first.uppercased() + dropFirst() + end
  }
}
