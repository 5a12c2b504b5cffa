// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import Perennial

extension CommandFailure {
  /// What the user reads about an error of git or of the store, nil for other errors.
  static func explaining(_ error: any Error) -> CommandFailure? {
    if let error = error as? GitError { return error.failure }
    return (error as? PerennialError).map(CommandFailure.init)
  }

  /// What the user reads about an error of the store.
  init(_ error: PerennialError) {
    self.init(
      error.message.linesEscapedForTerminal.joined(separator: "\n"),
      advice: error.recovery.linesEscapedForTerminal.joined(separator: "\n"),
      status: error.code == .persistentStoreTimeout ? .tryLater : .failure
    )
  }
}

extension PerennialError {
  /// Whether a predicate format may have caused the error.
  var isAboutFormat: Bool {
    [.predicateFormat, .predicateEvaluation, .unknownName, .typeMismatch].contains(code)
  }
}
