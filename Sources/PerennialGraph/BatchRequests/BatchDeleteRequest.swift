// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel
public import PerennialPredicate

/// Deletes all rows that a request selects, without making objects in your context.
///
/// ```swift
/// try context.execute(BatchDeleteRequest(Commit.filter("date < \(lastYear)")))
/// ```
///
/// If the store can run it and nothing depends on the rows that go (a relationship, a file of a large value, a value
/// that is derived from related objects), the request is one statement. Otherwise the rows are read, the delete rules
/// are applied, and everything is saved at once. Deny rules count. Unsaved changes of contexts do not.
///
/// Core Data: `NSBatchDeleteRequest`.
public struct BatchDeleteRequest {
  /// What is deleted.
  enum Selection {
    case request(FetchRequest<ManagedObject>)
    case objects([ManagedObjectID])
  }

  /// What the result contains.
  public var resultType = BatchResultType.count
  /// The identifiers of the stores whose rows are deleted; `nil` for all stores of the container.
  ///
  /// Core Data: `NSPersistentStoreRequest.affectedStores`.
  public var affectedStores: Set<UUID>?
  let selection: Selection

  /// A request that deletes what another request would fetch, within its offset and limit.
  ///
  /// - Parameter request: The request.
  public init<Object>(_ request: FetchRequest<Object>) {
    var found = FetchRequest<ManagedObject>(entityName: request.entityName)
    found.predicate = request.predicate
    found.sortDescriptors = request.sortDescriptors
    found.fetchLimit = request.fetchLimit
    found.fetchOffset = request.fetchOffset
    found.includesSubentities = request.includesSubentities
    found.requiresSQL = request.requiresSQL
    found.requiresIndex = request.requiresIndex
    affectedStores = request.affectedStores
    selection = .request(found)
  }

  /// A request that deletes the rows of a class and of its subclasses that meet a condition.
  ///
  /// `BatchDeleteRequest(Commit.all)` deletes all rows.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - predicate: The condition.
  public init<Object: ManagedEntity>(_ type: Object.Type, where predicate: FetchPredicate) {
    var request = FetchRequest<Object>(entityName: type.entityName)
    request.predicate = predicate
    self.init(request)
  }

  /// A request that deletes rows by their IDs, of any entities.
  ///
  /// - Parameter objectIDs: The IDs; those without a row are left out.
  public init(objectIDs: [ManagedObjectID]) { selection = .objects(objectIDs) }
}
