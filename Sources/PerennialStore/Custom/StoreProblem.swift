// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// What a store throws when it can say what is wrong; the program gets a `PerennialError`.
///
/// ```swift
/// throw StoreProblem(
///   .unreadable, "The file 'Commit.csv' has no first line.",
///   recovery: "restore it from a backup; it has been left as it is")
/// ```
public struct StoreProblem: Error, Sendable {
  /// What kind of problem it is.
  public enum Kind: Sendable, Hashable {
    /// The store cannot be opened or read (134080).
    case unreadable
    /// The store cannot be written (134030).
    case unwritable
    /// Somebody else holds a lock (134090).
    case locked
    /// The store was written with another model (134100).
    case incompatible
  }

  /// What kind of problem it is.
  public var kind: Kind
  /// What is wrong, in one sentence, with names in quotes and without values.
  public var message: String
  /// What to do about it, in one sentence.
  public var recovery: String
  /// What caused it.
  public var underlying: (any Error)?

  /// A problem.
  ///
  /// - Parameters:
  ///   - kind: What kind of problem it is; this decides the error's code.
  ///   - message: What is wrong, in one sentence, with names in quotes and without values.
  ///   - recovery: What to do about it, in one sentence.
  ///   - underlying: What caused it; `nil` for nothing else.
  public init(
    _ kind: Kind,
    _ message: String,
    recovery: String,
    underlying: (any Error)? = nil
  ) {
    self.kind = kind
    self.message = message
    self.recovery = recovery
    self.underlying = underlying
  }
}

extension PerennialError {
  /// What a program is told of an error that a store of its own threw.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - code: The code of what the store was doing.
  package init(storeError error: any Error, during code: Code) {
    if let error = error as? PerennialError {
      self = error
    } else if let problem = error as? StoreProblem {
      self.init(
        problem.kind.code,
        problem.message,
        recovery: problem.recovery,
        underlying: problem.underlying
      )
      quotesUnderlying = true
    } else {
      self.init(
        code,
        code == .persistentStoreSave
          ? "The store could not save." : "The store could not be opened or read.",
        recovery: "see the underlying error",
        underlying: error
      )
      quotesUnderlying = true
    }
  }
}

extension PerennialError {
  /// Runs a call of a store that reads, and makes its error one for users.
  static func reading<Result>(_ call: () throws -> Result) throws(PerennialError) -> Result {
    do {
      return try call()
    } catch {
      throw PerennialError(storeError: error, during: .persistentStoreOpen)
    }
  }

  /// Runs a call of a store that writes, and makes its error one for users.
  static func writing<Result>(_ call: () throws -> Result) throws(PerennialError) -> Result {
    do {
      return try call()
    } catch {
      throw PerennialError(storeError: error, during: .persistentStoreSave)
    }
  }
}

extension StoreProblem.Kind {
  fileprivate var code: PerennialError.Code {
    switch self {
    case .unreadable: .persistentStoreOpen
    case .unwritable: .persistentStoreSave
    case .locked: .persistentStoreTimeout
    case .incompatible: .incompatibleVersionHash
    }
  }
}
