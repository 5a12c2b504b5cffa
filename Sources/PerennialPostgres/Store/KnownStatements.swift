// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialModel
import PerennialSQL
import PerennialStore
import Synchronization

/// What a statement does that a store needs again and again, so that no text is made to find it.
enum StatementKey: Hashable {
  /// Rows, references or a count by one key or a list of keys.
  case keys(entity: Int, family: Bool, output: SelectOutput, isOne: Bool)
  /// Rows by one value of an attribute, or a list.
  case lookUp(entity: Int, family: Bool, slot: Int, isOne: Bool, isLimited: Bool)
  /// The objects that a to-many relationship leads to.
  case related(entity: Int, family: Bool, output: SelectOutput, owner: Int, toMany: Int)
  /// The same for a list of owners, or their number.
  case members(owner: Int, toMany: Int, output: SelectOutput)
}

/// The statements of a store by what they do; a connection finds what it has prepared by them at once.
///
/// There are as many as the model has places that a ``StatementKey`` can name.
final class KnownStatements: Sendable {
  private let statements = Mutex<[StatementKey: PostgresStatement]>([:])

  /// The statement of a key, which a closure makes the first time.
  func statement(_ key: StatementKey, _ make: () -> PostgresStatement) -> PostgresStatement {
    if let statement = statements.withLock({ $0[key] }) { return statement }
    let statement = make()
    statements.withLock { $0[key] = statement }
    return statement
  }
}
#endif
