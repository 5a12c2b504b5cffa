// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The exit code of a console program.
///
/// The numbers follow `sysexits.h` where it has one, and `gh` otherwise. A command throws one when it has
/// said all by itself, such as that two files differ.
public enum ExitCode: Int32, Error, Sendable, Hashable {
  /// The command did what was asked (0).
  case success = 0
  /// The command failed; the message says why (1).
  case failure = 1
  /// The user interrupted the command (2).
  case cancelled = 2
  /// The command line is not valid (64, `EX_USAGE`).
  case usage = 64
  /// The same command may work later (75, `EX_TEMPFAIL`).
  case tryLater = 75
}
