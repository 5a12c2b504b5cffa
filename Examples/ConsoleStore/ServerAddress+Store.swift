// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console
import Foundation
public import Perennial

#if PostgreSQL
import PerennialPostgres
#endif

extension ServerAddress {
  /// The store at the address.
  ///
  /// - Returns: Its description, which has the address without the password.
  /// - Throws: ``CommandFailure`` in a program that was built without the package trait `PostgreSQL`.
  public func store() throws(CommandFailure) -> StoreDescription {
    #if PostgreSQL
    return .postgres(url)
    #else
    let program = ProcessInfo.processInfo.processName.escapedForTerminal
    throw CommandFailure(
      "'\(program)' was built without PostgreSQL",
      advice:
        "Build it with 'swift run --traits PostgreSQL \(program) …'; that needs libpq, as in 'apt-get install libpq-dev'."
    )
    #endif
  }
}
