// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console

/// How a lookup ended.
public enum LookupOutcome: Sendable, Hashable {
  /// The movie has this popularity.
  case found(Double)
  /// No movie, or none with a popularity, was found.
  case unknown
  /// There was no useful answer; the next title makes no better try when it ends the work.
  case failed(CommandFailure, endsWork: Bool)
}
