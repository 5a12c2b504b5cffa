// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialPredicate

/// The identity of a row and its values under sorts.
package struct SortKeys: Sendable {
  package let reference: ObjectReference
  /// A value for each sort.
  package let values: [PropertyValue]

  package init(reference: ObjectReference, values: [PropertyValue]) {
    self.reference = reference
    self.values = values
  }
}

/// The identities that a query selects, in its order, and where a value changes from one to the next.
package struct SectionedReferences: Sendable {
  /// Successive rows that have a value in common.
  package struct Section: Sendable {
    package let value: PropertyValue
    /// The place of its first row.
    package let start: Int

    package init(value: PropertyValue, start: Int) {
      self.value = value
      self.start = start
    }
  }

  package var references: [ObjectReference] = []
  package var sections: [Section] = []

  package init() {}

  package init(_ rows: [SortKeys]) {
    references.reserveCapacity(rows.count)
    for row in rows {
      let value = row.values.first ?? .null
      if sections.last?.value != value {
        sections.append(Section(value: value, start: references.count))
      }
      references.append(row.reference)
    }
  }
}

extension RowProvider {
  package func fetchSortKeys(
    _ query: StoreQuery,
    _ sorts: [FetchSort]
  ) throws(PerennialError) -> [SortKeys] {
    try projectedSortKeys(query, sorts)
  }

  /// The same by a projection, which every store can make.
  package func projectedSortKeys(
    _ query: StoreQuery,
    _ sorts: [FetchSort]
  ) throws(PerennialError) -> [SortKeys] {
    let table = try fetchValues(ProjectionQuery(query, sorts: sorts, in: model))
    var rows: [SortKeys] = []
    rows.reserveCapacity(table.rowCount)
    for row in 0..<table.rowCount {
      let values = table[row]
      guard case .objectID(let id)? = values.first, let entity = model.entitiesByName[id.entityName]
      else { continue }
      rows.append(
        SortKeys(
          reference: ObjectReference(key: id.key, entity: entity),
          values: Array(values.dropFirst())
        )
      )
    }
    return rows
  }

  package func fetchReferences(
    _ query: StoreQuery,
    sectionedBy key: FetchSort
  ) throws(PerennialError) -> SectionedReferences {
    SectionedReferences(try fetchSortKeys(query, [key]))
  }
}

extension ProjectionQuery {
  /// The identities of a query's rows, and their values under sorts.
  ///
  /// - Throws: `unknownName` (200003) for a key that is no attribute.
  package init(
    _ query: StoreQuery,
    sorts keys: [FetchSort],
    in model: ModelLayout
  ) throws(PerennialError) {
    var rows = query
    (rows.sorts, rows.limit, rows.offset) = ([], 0, 0)
    self.init(rows: rows)
    (limit, offset) = (query.limit, query.offset)
    columns = [
      Column(
        name: "objectID",
        expression: .object,
        type: .object(query.entity),
        resultType: .undefined
      )
    ]
    var walk = PredicateWalk(model: model)
    for (number, sort) in keys.enumerated() {
      guard case .attribute(let slot) = try walk.type(of: sort.steps, from: .objects(query.entity))
      else { throw .notSortable(sort.key, of: model.entities[query.entity]) }
      columns.append(
        Column(
          name: "\(number)",
          expression: .object.appending(sort.steps),
          type: slot.attributeType.map { .attribute($0) } ?? .unknown,
          resultType: .undefined
        )
      )
    }
    for sort in query.sorts {
      let expression = ExpressionNode.object.appending(sort.steps)
      let column = columns.firstIndex { $0.expression == expression }
      sorts.append(Sort(expression: expression, column: column, sort: sort))
    }
    reached = walk.reached
  }
}
