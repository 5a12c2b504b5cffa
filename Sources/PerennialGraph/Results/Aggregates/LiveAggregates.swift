// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialPredicate
import PerennialStore

/// Counts, sums, means and extremes of many objects, grouped by a value, that stay up to date.
///
/// ```swift
/// let live = try context.aggregates(
///   of: Commit.filter(format: "date > %@", lastWeek), [.count, .max(\.date)],
///   groupedBy: \.author, \.name)
/// for group in live.groups {
///   let newest = group.value(of: .max(\.date), as: Date.self)
///   print(group.key(as: String.self) ?? "nobody", group.count, newest ?? .distantPast)
/// }
///
/// for await change in live.changes { print(change.updated.count, "authors have other numbers") }
/// ```
///
/// The objects are those that the request selects, unsaved changes included; its sorts do not matter. The numbers
/// change when the list of a ``FetchedResultsController`` would: at the end of an event; after saves, merges,
/// refreshes, rollbacks and resets; and when related objects change that the condition, an attribute's key path or
/// the grouping goes through. Usually only the rows that may have changed are read then. Everything is read again
/// after a reset, in a child context, or when more than 10,000 rows may have changed. Counts and sums are corrected
/// by what came and went. When a group loses its greatest or least value, or a decimal from a sum, that group alone
/// is looked through again.
///
/// Isolation: aggregates belong to their context, as objects do, and keep it alive.
///
/// Complexity: each row takes memory for its values of the attributes that were asked for. No objects are made.
public final class LiveAggregates<Object: ManagedObject> {
  /// The context of the objects.
  public let managedObjectContext: ManagedObjectContext
  /// The request that selects the objects.
  public let fetchRequest: FetchRequest<Object>
  /// What is computed from the objects.
  public let aggregates: [Aggregate<Object>]
  /// The key path whose values make groups; `nil` for one group of all objects.
  public let groupKeyPath: String?

  private let tracker: AggregateTracker
  private let columns: [AggregateTable.Column]
  /// Who reads ``changes``.
  private var streams: [AsyncStream<AggregatesChange<Object>>.Continuation] = []
  /// The groups, until they change.
  private var shown: (version: Int, groups: [AggregateGroup<Object>])?

  /// Called for each change, in the context's isolation.
  ///
  /// All lists and aggregates of the context are up to date by then. What the closure changes belongs to
  /// the next event.
  public var onChange: ((AggregatesChange<Object>) -> Void)?

  init(
    _ context: ManagedObjectContext,
    _ request: FetchRequest<Object>,
    _ aggregates: [Aggregate<Object>],
    groupedBy groupKeyPath: String?
  ) throws(PerennialError) {
    managedObjectContext = context
    fetchRequest = request
    self.aggregates = aggregates
    self.groupKeyPath = groupKeyPath
    let plan = try AggregatePlan(request, aggregates, groupedBy: groupKeyPath, in: context)
    columns = plan.columns
    try context.prepareToRead(showing: plan.query.countsEdits ? plan.query.store.entity : nil)
    tracker = try AggregateTracker(
      context,
      plan.query,
      plan.columns,
      isGrouped: groupKeyPath != nil
    )
    tracker.tell = { [weak self] in self?.tell($0) }
  }

  deinit { for stream in streams { stream.finish() } }

  // MARK: Values

  /// The groups, ascending by their values.
  ///
  /// Without a grouping there is one group of all objects, even if there are none.
  public var groups: [AggregateGroup<Object>] {
    if let shown, shown.version == tracker.version { return shown.groups }
    let groups = tracker.groups.map(group)
    shown = (tracker.version, groups)
    return groups
  }

  /// The group of the objects that have a given value.
  ///
  /// - Parameter value: A value of the attribute that makes the groups, for an enum the raw value; `nil` for the
  ///   objects without a value, and for all objects when there is no grouping.
  /// - Returns: The group; `nil` when there is no such group.
  public subscript(value: (some AttributeValue)?) -> AggregateGroup<Object>? {
    tracker.group(of: value._propertyValue).map(group)
  }

  /// The value of an aggregate over all objects, when there is no grouping.
  ///
  /// - Parameters:
  ///   - aggregate: An aggregate that was asked for.
  ///   - type: The type of the result.
  /// - Returns: The value; `nil` when there is a grouping, when there is no value, when it is of another type, or
  ///   when it was not asked for.
  public func value<Value>(
    of aggregate: Aggregate<Object>,
    as type: Value.Type = Value.self
  ) -> Value? {
    groupKeyPath == nil ? groups.first?.value(of: aggregate, as: type) : nil
  }

  private func group(_ group: AggregateTable.Group) -> AggregateGroup<Object> {
    AggregateGroup(
      aggregates: aggregates,
      count: group.count,
      commonValue: group.key,
      computed: group.values(columns)
    )
  }

  // MARK: Changes

  /// A stream of the changes from now on.
  ///
  /// It begins with all groups, as a change whose ``AggregatesChange/isInitial`` is true. Changes are values and
  /// may go anywhere. The stream ends with the aggregates.
  ///
  /// - Returns: A new stream for every call. Changes wait in it until they are read.
  public var changes: AsyncStream<AggregatesChange<Object>> {
    let (stream, continuation) = AsyncStream.makeStream(of: AggregatesChange<Object>.self)
    streams.append(continuation)
    let groups = groups
    continuation.yield(AggregatesChange(groups: groups, inserted: groups, isInitial: true))
    return stream
  }

  private func tell(_ change: AggregateTracker.Change) {
    if onChange == nil, streams.isEmpty { return }
    let change = AggregatesChange(
      groups: groups,
      inserted: change.inserted.map(group),
      updated: change.updated.map(group),
      deleted: change.deleted.map(group)
    )
    streams.removeAll { stream in
      if case .terminated = stream.yield(change) { true } else { false }
    }
    onChange?(change)
  }
}

@available(*, unavailable, message: "aggregates stay with their context; send their changes")
extension LiveAggregates: Sendable {}

/// How the aggregates of a request have changed.
public struct AggregatesChange<Object: ManagedObject>: Sendable, Equatable {
  /// All groups after the change, ascending by their values.
  public let groups: [AggregateGroup<Object>]
  /// Groups that were not there before.
  public private(set) var inserted: [AggregateGroup<Object>] = []
  /// Groups whose count or aggregates have changed, as they are now.
  public private(set) var updated: [AggregateGroup<Object>] = []
  /// Groups that are not there any more, as they were.
  public private(set) var deleted: [AggregateGroup<Object>] = []
  /// Whether this is the first change of a stream, which brings all groups.
  public private(set) var isInitial = false
}
