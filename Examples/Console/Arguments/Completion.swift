// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a shell offers where the value of an option or an argument is typed.
public enum Completion: Sendable, Hashable {
  /// Nothing: the value may be anything.
  case none
  /// The names of files and folders.
  case files
  /// The names of folders.
  case folders
  /// These words, and no others are valid.
  case words([String])
}
