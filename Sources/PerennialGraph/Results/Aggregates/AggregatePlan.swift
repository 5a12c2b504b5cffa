// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// What has to be read for aggregates, with every name checked.
struct AggregatePlan {
  /// The rows, with the group's value and the attributes as sorts.
  let query: ResultsQuery
  let columns: [AggregateTable.Column]

  init<Object>(
    _ request: FetchRequest<Object>,
    _ aggregates: [Aggregate<Object>],
    groupedBy groupKeyPath: String?,
    in context: ManagedObjectContext
  ) throws(PerennialError) {
    guard request.fetchLimit == 0, request.fetchOffset == 0 else {
      throw .limitedAggregates(request.entityName)
    }
    var names = groupKeyPath.map { [$0] } ?? []
    var places: [Int?] = []
    for aggregate in aggregates {
      guard let name = aggregate.keyPath else {
        places.append(nil)
        continue
      }
      let place = names.firstIndex(of: name) ?? names.count
      if place == names.count { names.append(name) }
      places.append(place)
    }
    query = try ResultsQuery(request, values: names.map { FetchSort($0) }, in: context)
    let projection = try ProjectionQuery(
      query.store,
      sorts: query.store.sorts,
      in: context.store.model
    )
    var columns: [AggregateTable.Column] = []
    for (aggregate, place) in zip(aggregates, places) {
      var type = AttributeType.undefined
      // The first column is the object's ID.
      if let place, case .attribute(let found) = projection.columns[place + 1].type { type = found }
      guard !aggregate.function.isOfNumbers || type.isNumber else {
        throw .notANumber("\(aggregate)", request.entityName)
      }
      columns.append(.init(function: aggregate.function, place: place, type: type))
    }
    self.columns = columns
  }
}

extension AttributeType {
  fileprivate var isNumber: Bool {
    switch self {
    case .int16, .int32, .int64, .decimal, .double, .float, .bool: true
    default: false
    }
  }
}

extension PerennialError {
  fileprivate static func limitedAggregates(_ entityName: String) -> PerennialError {
    PerennialError(
      .invalidRequest,
      "The request for aggregates of '\(entityName)' has a limit or an offset.",
      recovery: "say which objects are meant by a condition",
      entity: entityName
    )
  }

  fileprivate static func notANumber(_ aggregate: String, _ entityName: String) -> PerennialError {
    PerennialError(
      .typeMismatch,
      "The aggregate '\(aggregate)' of '\(entityName)' is of an attribute that is no number.",
      recovery: "ask for its least or greatest value, or the objects' number",
      entity: entityName
    )
  }
}
