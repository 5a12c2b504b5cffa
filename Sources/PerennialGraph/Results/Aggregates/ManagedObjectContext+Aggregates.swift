// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

extension ManagedObjectContext {
  /// Aggregates over the objects that a request selects, kept up to date.
  ///
  /// ```swift
  /// let live = try context.aggregates(of: Commit.all, [.count, .max(\.date)], groupedBy: "author.name")
  /// live.onChange = { change in show(change.groups) }
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request that selects the objects. Its sorts do not matter.
  ///   - aggregates: What to compute.
  ///   - keyPath: The attribute whose values make groups, or a key path to one through to-one relationships; `nil`
  ///     for one group of all objects.
  ///   - isolation: The actor that the context belongs to: the caller's. With an actor, the aggregates follow
  ///     changes by themselves, even if the context is not the view context.
  /// - Returns: The aggregates, computed.
  /// - Throws: `invalidRequest` (200008) for a request with a limit or an offset, `unknownName` (200003) for a
  ///   key path that leads to no attribute, `typeMismatch` (200004) for a sum or a mean of values that are not
  ///   numbers; otherwise as ``fetch(_:file:line:)``.
  /// - Complexity: One statement that reads the attributes of all rows, in memory that grows with them.
  public func aggregates<Object>(
    of request: FetchRequest<Object>,
    _ aggregates: [Aggregate<Object>],
    groupedBy keyPath: String? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) throws(PerennialError) -> LiveAggregates<Object> {
    endsEvents(on: isolation)
    return try LiveAggregates(self, request, aggregates, groupedBy: keyPath)
  }

  /// Aggregates over the objects that a request selects, grouped by an attribute.
  ///
  /// - Parameters:
  ///   - request: The request that selects the objects.
  ///   - aggregates: What to compute.
  ///   - keyPath: The attribute whose values make groups.
  ///   - isolation: The actor that the context belongs to: the caller's.
  /// - Returns: The aggregates, computed.
  /// - Throws: As ``aggregates(of:_:groupedBy:isolation:)-(_,_,String?,_)``.
  public func aggregates<Object, Value>(
    of request: FetchRequest<Object>,
    _ aggregates: [Aggregate<Object>],
    groupedBy keyPath: KeyPath<Object, Value>,
    isolation: isolated (any Actor)? = #isolation
  ) throws(PerennialError) -> LiveAggregates<Object> {
    try self.aggregates(
      of: request,
      aggregates,
      groupedBy: Object.name(of: keyPath),
      isolation: isolation
    )
  }

  /// Aggregates over the objects that a request selects, grouped by an attribute of a related object.
  ///
  /// - Parameters:
  ///   - request: The request that selects the objects.
  ///   - aggregates: What to compute.
  ///   - relationship: A to-one relationship.
  ///   - keyPath: The attribute of the related object whose values make groups.
  ///   - isolation: The actor that the context belongs to: the caller's.
  /// - Returns: The aggregates, computed.
  /// - Throws: As ``aggregates(of:_:groupedBy:isolation:)-(_,_,String?,_)``.
  public func aggregates<Object, Destination: ManagedObject, Value>(
    of request: FetchRequest<Object>,
    _ aggregates: [Aggregate<Object>],
    groupedBy relationship: KeyPath<Object, Destination?>,
    _ keyPath: KeyPath<Destination, Value>,
    isolation: isolated (any Actor)? = #isolation
  ) throws(PerennialError) -> LiveAggregates<Object> {
    let name = Object.name(of: relationship) + "." + Destination.name(of: keyPath)
    return try self.aggregates(of: request, aggregates, groupedBy: name, isolation: isolation)
  }
}
