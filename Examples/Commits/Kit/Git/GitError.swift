// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console

/// What can go wrong with a repository.
public enum GitError: Error, Sendable, Hashable {
  /// The program `git` is in no folder of `PATH`.
  case notInstalled
  /// There is nothing, or no folder, at a path.
  case noFolder(path: String)
  /// The folder at a path belongs to no repository.
  case notARepository(path: String)
  /// Git refuses the repository of another user; its own words say how to allow it.
  case dubiousOwnership(explanation: String)
  /// The output of `git log` is not as expected.
  case unreadableLog
  /// Git failed for another reason, in its own words.
  case failed(explanation: String)
}

extension GitError {
  /// The error for the user.
  public var failure: CommandFailure {
    switch self {
    case .notInstalled:
      CommandFailure(
        "the program 'git' was not found",
        advice: "Install git, or add its folder to PATH."
      )
    case .noFolder(let path):
      CommandFailure(
        "there is no folder '\(path.escapedForTerminal)'",
        advice: "Give the path of a checkout: commits import PATH"
      )
    case .notARepository(let path):
      CommandFailure(
        "'\(path.escapedForTerminal)' is not in a git repository",
        advice: "Give the path of a checkout: commits import PATH"
      )
    case .dubiousOwnership(let explanation):
      CommandFailure(
        "git does not trust this repository, because another user owns it",
        advice: explanation.shownLines
      )
    case .unreadableLog:
      CommandFailure(
        "the output of 'git log' cannot be read",
        advice: "Run 'git fsck' in the repository, and check the version of git."
      )
    case .failed(let explanation):
      CommandFailure(
        "git failed: \(explanation.shownLines)",
        advice: "Run 'git fsck' in the repository to find the cause."
      )
    }
  }
}

extension String {
  /// The lines of a text from another program, safe to show.
  fileprivate var shownLines: String {
    linesEscapedForTerminal.joined(separator: "\n")
  }
}
