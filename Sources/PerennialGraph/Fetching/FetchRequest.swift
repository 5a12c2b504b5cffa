// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
import PerennialModel
public import PerennialPredicate

/// What to fetch: which objects of an entity, in what order, and how many.
///
/// ```swift
/// var request = FetchRequest<Commit>(entityName: "Commit")
/// request.predicate = "message CONTAINS[c] \(word)"
/// request.sortDescriptors = [FetchSort("date", ascending: false)]
/// request.fetchLimit = 20
/// ```
///
/// A request is a value: you can keep it in a `static let` and use it in any context.
///
/// Core Data: `NSFetchRequest`.
public struct FetchRequest<Result: ManagedObject>: Sendable {
  /// The name of the entity.
  public var entityName: String
  /// The condition; `nil` for all objects.
  public var predicate: FetchPredicate?
  /// The order, the most significant sort first.
  ///
  /// Objects that are equal under all sorts come in the order of their insertion, or in the reverse order
  /// when the last sort descends. This holds in every store, for saved and for unsaved objects. Without
  /// any sort, the order is not specified.
  public var sortDescriptors: [FetchSort] = []
  /// The greatest number of objects; 0 for no limit.
  public var fetchLimit = 0
  /// How many objects to skip at the beginning.
  public var fetchOffset = 0
  /// Whether objects of subentities are fetched too.
  public var includesSubentities = true
  /// Whether unsaved changes of the context count.
  public var includesPendingChanges = true
  /// How many rows are loaded at a time; 0 for all at once.
  ///
  /// With a batch size, the objects of a fetch are faults, and the first access to one loads its batch. For a
  /// list that makes objects only when you look at them, see ``ManagedObjectContext/fetch(_:batchSize:)``.
  ///
  /// Core Data: `NSFetchRequest.fetchBatchSize`.
  public var fetchBatchSize = 0
  /// Whether a fetch loads rows; if not, it reads only IDs, and its objects are faults.
  ///
  /// Core Data: `NSFetchRequest.includesPropertyValues`.
  public var includesPropertyValues = true
  /// Whether the objects may be faults where the other settings make them so.
  ///
  /// When `false`, a fetch loads the row of every object, whatever ``fetchBatchSize`` says.
  ///
  /// Core Data: `NSFetchRequest.returnsObjectsAsFaults`.
  public var returnsObjectsAsFaults = true
  /// Whether objects with unsaved changes take the stored values of their other properties.
  ///
  /// Objects without changes always take the values of the rows that the fetch loads.
  ///
  /// Core Data: `NSFetchRequest.shouldRefreshRefetchedObjects`.
  public var shouldRefreshRefetchedObjects = false
  /// The relationships to load with the objects, as key paths: `"author"`, `"author.teams"`.
  ///
  /// Each relationship takes one statement, however many objects there are; to-one relationships that lead to one
  /// root entity share theirs. Faults, such as those of a fetch with a ``fetchBatchSize``, prefetch nothing: they
  /// load their siblings by themselves.
  ///
  /// Core Data: `NSFetchRequest.relationshipKeyPathsForPrefetching`.
  public var relationshipKeyPathsForPrefetching: [String] = []
  /// Whether the store must answer with SQL alone.
  ///
  /// A store with SQL evaluates in memory what SQL cannot express, on the rows that the rest of the predicate
  /// selects. With this set, such a fetch fails before it begins, with `requiresMemory` (200007); the error
  /// names the part of the predicate, or the sort, that is in the way. A store without SQL, such as the one in
  /// memory, does not refuse. Unsaved changes of the context are always evaluated in memory.
  public var requiresSQL = false

  /// Whether the store must answer without reading a whole table.
  ///
  /// With this set, a fetch whose plan reads a table of a SQLite store from end to end fails before it
  /// begins, with `requiresIndex` (200010); the error names the condition and the index to declare. Other
  /// stores do not refuse.
  public var requiresIndex = false
  /// What a fetch of dictionaries fetches: names of attributes and to-one relationships, and computed
  /// values; empty for all attributes, or for what ``propertiesToGroupBy`` names.
  ///
  /// Names may be key paths through to-one relationships: `"author.name"`. A fetch of objects checks
  /// the names, but loads whole rows: it takes no further statement for any attribute, named or not.
  ///
  /// Core Data: `NSFetchRequest.propertiesToFetch`.
  public var propertiesToFetch: [PropertyToFetch] = []
  /// What the objects of one group have in common: names of properties, key paths through to-one
  /// relationships, or names of computed values; empty for no groups.
  ///
  /// For ``ManagedObjectContext/fetchDictionaries(_:)`` only, which gives one dictionary for each group. Whatever
  /// else is fetched must be an aggregate, or follow from what is grouped by.
  ///
  /// Core Data: `NSFetchRequest.propertiesToGroupBy`.
  public var propertiesToGroupBy: [String] = []
  /// The condition on groups; it may name computed values: `"commits > 10"`, `"count(sha) > 10"`.
  ///
  /// For ``ManagedObjectContext/fetchDictionaries(_:)`` with ``propertiesToGroupBy`` only.
  ///
  /// Core Data: `NSFetchRequest.havingPredicate`.
  public var havingPredicate: FetchPredicate? {
    get { if case .predicate(let predicate)? = groupCondition { predicate } else { nil } }
    set { groupCondition = newValue.map { .predicate($0) } }
  }
  /// The condition on groups, in a place of its own: all requests are copied, few have one.
  var groupCondition: GroupCondition?
  /// Whether equal dictionaries are given only once; texts are equal when their bytes are equal.
  ///
  /// For ``ManagedObjectContext/fetchDictionaries(_:)`` only.
  ///
  /// Core Data: `NSFetchRequest.returnsDistinctResults`.
  public var returnsDistinctResults = false
  /// The stores to ask, by their identifiers; `nil` for all.
  ///
  /// A request that names none of the context's stores gives nothing, not even unsaved objects.
  ///
  /// Core Data: `NSPersistentStoreRequest.affectedStores`.
  public var affectedStores: Set<UUID>?
}

/// See ``FetchRequest/groupCondition``.
indirect enum GroupCondition: Sendable {
  case predicate(FetchPredicate)
}

extension FetchRequest {
  /// A request for all objects of the class's entity.
  public init() { self.init(entityName: Result.entityName, predicate: nil) }

  /// A request for all objects of an entity.
  ///
  /// - Parameter entityName: The entity's name; its class must be `Result` or a subclass.
  public init(entityName: String) { self.init(entityName: entityName, predicate: nil) }
}

extension FetchRequest {
  /// The request with one more condition, which objects must meet in addition to those that it has.
  ///
  /// - Parameter predicate: The condition.
  /// - Returns: The request. A bad predicate is an error of the fetch.
  public func filter(_ predicate: FetchPredicate) -> Self {
    var request = self
    request.predicate = request.predicate.map { $0 && predicate } ?? predicate
    return request
  }

  /// The request with one more condition, written in the format language.
  ///
  /// - Parameters:
  ///   - format: The condition's text, fixed at compile time.
  ///   - arguments: The values of its placeholders, in order.
  /// - Returns: The request. A bad format is an error of the fetch.
  public func filter(format: StaticString, _ arguments: (any Sendable)?...) -> Self {
    filter(FetchPredicate(format: format, arguments: arguments))
  }

  /// The request with one more sort, less significant than those that it has.
  ///
  /// - Parameter sort: The sort.
  /// - Returns: The request. A name that is not an attribute is an error of the fetch.
  public func sorted(by sort: FetchSort) -> Self {
    var request = self
    request.sortDescriptors.append(sort)
    return request
  }

  /// The request limited to a number of objects.
  ///
  /// - Parameter count: The number of objects, 0 for no limit.
  /// - Returns: The request.
  public func limit(_ count: Int) -> Self {
    var request = self
    request.fetchLimit = count
    return request
  }

  /// The request whose objects load a number of rows at a time.
  ///
  /// - Parameter count: The number of rows, 0 for all at once.
  /// - Returns: The request.
  public func batchSize(_ count: Int) -> Self {
    var request = self
    request.fetchBatchSize = count
    return request
  }

  /// The request that also loads the objects that a relationship leads to, in one statement.
  ///
  /// ```swift
  /// let commits = try context.fetch(Commit.all.prefetching(\.author))
  /// ```
  ///
  /// - Parameter relationship: A relationship.
  /// - Returns: The request. A key path that is not a relationship is an error of the fetch.
  public func prefetching(_ relationship: PartialKeyPath<Result>) -> Self {
    prefetching(Result.name(of: relationship))
  }

  /// The request that also loads the objects along a key path of relationships, with one statement for each step.
  ///
  /// - Parameter keyPath: The names of relationships, joined by dots: `"author.teams"`.
  /// - Returns: The request. A name that is not a relationship is an error of the fetch.
  public func prefetching(_ keyPath: String) -> Self {
    var request = self
    request.relationshipKeyPathsForPrefetching.append(keyPath)
    return request
  }

  /// The request that fails if a part of it would be evaluated in memory; see ``requiresSQL``.
  ///
  /// ```swift
  /// let fixes = try context.fetch(Commit.filter("message CONTAINS[c] 'fix'").requireSQL())
  /// ```
  ///
  /// - Returns: The request. A part that SQL cannot express is an error of the fetch.
  public func requireSQL() -> Self {
    var request = self
    request.requiresSQL = true
    return request
  }

  /// The request that skips a number of objects at the beginning of the order.
  ///
  /// - Parameter count: The number of objects, 0 for none.
  /// - Returns: The request.
  public func offset(_ count: Int) -> Self {
    var request = self
    request.fetchOffset = count
    return request
  }
}
