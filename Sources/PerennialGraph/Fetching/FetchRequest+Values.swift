// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
public import PerennialPredicate
import PerennialStore

// Requests for values instead of objects.

extension FetchRequest {
  /// The request that also fetches properties or computed values, for dictionaries.
  ///
  /// ```swift
  /// let counts = try context.fetchDictionaries(
  ///   Commit.all.fetching("author.name", .expression(ExpressionDescription("n", format: "count(sha)")))
  ///     .grouped(by: "author.name").having("n > 10").sorted(by: FetchSort("n", ascending: false)))
  /// ```
  ///
  /// - Parameter properties: Names of properties, and descriptions of computed values.
  /// - Returns: The request. An unknown name is an error of the fetch.
  public func fetching(_ properties: PropertyToFetch...) -> Self {
    var request = self
    request.propertiesToFetch += properties
    return request
  }

  /// The request that makes one dictionary of all objects that have the named values in common.
  ///
  /// - Parameter names: Names of properties, key paths, or names of computed values.
  /// - Returns: The request. An unknown name is an error of the fetch.
  public func grouped(by names: String...) -> Self {
    var request = self
    request.propertiesToGroupBy += names
    return request
  }

  /// The request with one more condition on groups.
  ///
  /// - Parameter predicate: The condition.
  /// - Returns: The request. A bad predicate is an error of the fetch.
  public func having(_ predicate: FetchPredicate) -> Self {
    var request = self
    request.havingPredicate = request.havingPredicate.map { $0 && predicate } ?? predicate
    return request
  }

  /// The request that fails if it would read a whole table; see ``requiresIndex``.
  ///
  /// - Returns: The request.
  public func requireIndex() -> Self {
    var request = self
    request.requiresIndex = true
    return request
  }

  /// The request that gives equal dictionaries only once.
  ///
  /// - Returns: The request.
  public func distinct() -> Self {
    var request = self
    request.returnsDistinctResults = true
    return request
  }

  /// Whether something is set that objects do not have.
  @inline(__always)
  var isOnlyForValues: Bool {
    !propertiesToGroupBy.isEmpty || groupCondition != nil || returnsDistinctResults
      || propertiesToFetch.contains(where: \.isComputed)
  }

  /// What the request says about values.
  var projection: ProjectionRequest {
    var projection = ProjectionRequest()
    projection.properties = propertiesToFetch
    projection.groups = propertiesToGroupBy
    projection.having = havingPredicate
    projection.isDistinct = returnsDistinctResults
    projection.sorts = sortDescriptors
    projection.limit = fetchLimit
    projection.offset = fetchOffset
    return projection
  }

  /// The request for the rows that values are computed of: all that meet the condition.
  var rows: Self {
    var request = Self(entityName: entityName)
    request.predicate = predicate
    request.includesSubentities = includesSubentities
    request.requiresIndex = requiresIndex
    request.affectedStores = affectedStores
    return request
  }

  /// Whether the request asks a store.
  func affects(_ stores: StoreNaming) -> Bool {
    affectedStores?.contains { stores.names($0) } != false
  }

  /// Throws for a number of objects that is less than none.
  func checkNumbers() throws(PerennialError) {
    let numbers = [
      ("fetchLimit", fetchLimit), ("fetchOffset", fetchOffset), ("fetchBatchSize", fetchBatchSize),
    ]
    guard let (name, _) = numbers.first(where: { $0.1 < 0 }) else { return }
    throw PerennialError(
      .invalidRequest,
      "The request for '\(entityName)' has a '\(name)' that is less than zero.",
      recovery: "use 0 for none",
      entity: entityName
    )
  }
}

extension PropertyToFetch {
  /// Whether it is a computed value.
  var isComputed: Bool {
    if case .expression = self { true } else { false }
  }
}

extension PerennialError {
  /// A fetch of objects with settings for dictionaries.
  static func onlyForDictionaries(_ entity: String) -> PerennialError {
    PerennialError(
      .invalidRequest,
      "The request for '\(entity)' asks for groups, distinct results or computed values, which objects do "
        + "not have.",
      recovery: "use fetchDictionaries(_:)",
      entity: entity
    )
  }
}
