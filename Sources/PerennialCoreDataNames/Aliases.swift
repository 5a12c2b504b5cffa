// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The names are Core Data's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Core Data's names for our types. On Apple systems Core Data has them itself.

#if !canImport(Darwin)

/// Core Data: `NSManagedObject`.
public typealias NSManagedObject = ManagedObject

/// Core Data: `NSManagedObjectContext`.
public typealias NSManagedObjectContext = ManagedObjectContext

/// Core Data: `NSManagedObjectID`.
public typealias NSManagedObjectID = ManagedObjectID

/// Core Data: `NSManagedObjectModel`.
public typealias NSManagedObjectModel = ManagedObjectModel

/// Core Data: `NSEntityDescription`.
public typealias NSEntityDescription = EntityDescription

/// Core Data: `NSPropertyDescription`.
public typealias NSPropertyDescription = PropertyDescription

/// Core Data: `NSAttributeDescription`.
public typealias NSAttributeDescription = AttributeDescription

/// Core Data: `NSAttributeType`.
public typealias NSAttributeType = AttributeType

/// Core Data: `NSRelationshipDescription`.
public typealias NSRelationshipDescription = RelationshipDescription

/// Core Data: `NSDeleteRule`.
public typealias NSDeleteRule = DeleteRule

/// Core Data: `NSFetchIndexDescription`.
public typealias NSFetchIndexDescription = FetchIndexDescription

/// Core Data: `NSExpressionDescription`.
public typealias NSExpressionDescription = ExpressionDescription

/// Core Data: `NSFetchRequest`.
public typealias NSFetchRequest = FetchRequest

/// Core Data: `NSFetchedResultsController`.
public typealias NSFetchedResultsController = FetchedResultsController

/// Core Data: `NSFetchedResultsControllerDelegate`.
public typealias NSFetchedResultsControllerDelegate = FetchedResultsControllerDelegate

/// Core Data: `NSFetchedResultsChangeType`.
public typealias NSFetchedResultsChangeType = FetchedResultsChangeType

/// Core Data: `NSFetchedResultsSectionInfo`, which is a protocol there.
public typealias NSFetchedResultsSectionInfo = FetchedResultsSectionInfo

/// Core Data: `NSPersistentContainer`.
public typealias NSPersistentContainer = PersistentContainer

/// Core Data: `NSPersistentStoreDescription`.
public typealias NSPersistentStoreDescription = StoreDescription

/// Core Data: `NSPersistentHistoryToken`.
public typealias NSPersistentHistoryToken = PersistentHistoryToken

/// Core Data: `NSPersistentHistoryTransaction`.
public typealias NSPersistentHistoryTransaction = PersistentHistoryTransaction

/// Core Data: `NSPersistentHistoryChange`.
public typealias NSPersistentHistoryChange = PersistentHistoryChange

/// Core Data: `NSPersistentHistoryChangeType`.
public typealias NSPersistentHistoryChangeType = PersistentHistoryChangeType

/// Core Data: `NSPersistentHistoryChangeRequest`.
public typealias NSPersistentHistoryChangeRequest = PersistentHistoryChangeRequest

/// Core Data: `NSPersistentHistoryResult`.
public typealias NSPersistentHistoryResult = PersistentHistoryResult

/// Core Data: `NSPersistentHistoryResultType`.
public typealias NSPersistentHistoryResultType = PersistentHistoryResultType

/// Core Data: `NSConstraintConflict`.
public typealias NSConstraintConflict = ConstraintConflict

/// Core Data: `NSMergeConflict`.
public typealias NSMergeConflict = MergeConflict

/// Core Data: `NSMergePolicy`.
public typealias NSMergePolicy = MergePolicy

/// Core Data: `NSSnapshotEventType`.
public typealias NSSnapshotEventType = SnapshotEvents

// MARK: - Merge policies

/// A conflict makes the save fail; Core Data's default.
public let NSErrorMergePolicy = MergePolicy.error

/// Property by property, what is stored wins.
public let NSMergeByPropertyStoreTrumpMergePolicy = MergePolicy.mergeByPropertyStoreTrump

/// Property by property, what this context changed wins.
public let NSMergeByPropertyObjectTrumpMergePolicy = MergePolicy.mergeByPropertyObjectTrump

/// The whole object as this context has it replaces what is stored.
public let NSOverwriteMergePolicy = MergePolicy.overwrite

/// What is stored replaces this context's changes.
public let NSRollbackMergePolicy = MergePolicy.rollback

/// The kinds of merge policies, by the names of Core Data's enumeration.
///
/// Core Data: `NSMergePolicyType`.
public enum NSMergePolicyType: Sendable {
  /// As ``NSErrorMergePolicy``.
  case errorMergePolicyType
  /// As ``NSMergeByPropertyStoreTrumpMergePolicy``.
  case mergeByPropertyStoreTrumpMergePolicyType
  /// As ``NSMergeByPropertyObjectTrumpMergePolicy``.
  case mergeByPropertyObjectTrumpMergePolicyType
  /// As ``NSOverwriteMergePolicy``.
  case overwriteMergePolicyType
  /// As ``NSRollbackMergePolicy``.
  case rollbackMergePolicyType
}

extension MergePolicy {
  /// A merge policy, by Core Data's name for what it does.
  ///
  /// Core Data: `NSMergePolicy(merge:)`.
  ///
  /// - Parameter type: The kind of policy.
  public init(merge type: NSMergePolicyType) {
    self =
      switch type {
      case .errorMergePolicyType: .error
      case .mergeByPropertyStoreTrumpMergePolicyType: .mergeByPropertyStoreTrump
      case .mergeByPropertyObjectTrumpMergePolicyType: .mergeByPropertyObjectTrump
      case .overwriteMergePolicyType: .overwrite
      case .rollbackMergePolicyType: .rollback
      }
  }
}

#endif
