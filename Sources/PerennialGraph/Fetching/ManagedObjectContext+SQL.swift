// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
public import PerennialPredicate
import PerennialStore

extension ManagedObjectContext {
  /// Fetches the objects whose keys an SQL statement selects.
  ///
  /// ```swift
  /// let oldest = try context.fetch(
  ///   Commit.self,
  ///   sql: """
  ///     SELECT Z_PK FROM ZCOMMIT GROUP BY ZAUTHOR HAVING ZDATE = min(ZDATE) AND ZDATE > \(date)
  ///     """
  /// )
  /// ```
  ///
  /// The statement is a SELECT that gives keys of the class's table in a column `Z_PK`, or `id` in tables with plain
  /// names. It sees only what is saved: unsaved changes do not decide which objects are found, but the objects have
  /// them. Objects that are deleted in the context are left out.
  ///
  /// - Parameters:
  ///   - type: The class of the objects; rows of other entities in its table are left out.
  ///   - sql: The statement; it cannot write.
  /// - Returns: The objects, each once, in the order of the statement's rows.
  /// - Throws: `invalidRequest` (200008) for a store without SQL or for several stores, `unknownName` (200003) for
  ///   a name in the statement that the model lacks, `typeMismatch` (200004) for a list as a value, or the error of
  ///   SQLite (134180) or PostgreSQL (200030).
  public func fetch<Object: ManagedEntity>(
    _ type: Object.Type,
    sql: RawSQL
  ) throws(PerennialError) -> [Object] {
    let entity = home(of: type).pointee.layout.index
    try prepareToRead()
    faulting.statistics.fetchQueries += 1
    let keys = try store.fetchKeys(sql)
    var objects: [ManagedObject] = []
    if !keys.isEmpty {
      faulting.statistics.fetchQueries += 1
      try store.fetchRows(StoreQuery(entity: entity, scope: .keys(keys))) { page in
        append(page, to: &objects)
      }
    }
    noteLiveObjects()
    let byKey = Dictionary(awakened(objects).map { ($0._key, $0) }) { first, _ in first }
    var seen: Set<Int64> = []
    return keys.compactMap { key in
      guard let object = byKey[key], !object.isDeleted, seen.insert(key).inserted else {
        return nil
      }
      // Safe because the query selects the class's entity and its subentities.
      return unsafeDowncast(object, to: Object.self)
    }
  }
}
