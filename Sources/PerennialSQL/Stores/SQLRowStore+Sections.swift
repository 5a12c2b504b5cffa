// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialPredicate
package import PerennialStore

extension SQLRowStore {
  /// The statement that gives keys, the numbers of entities, and the values under sorts, with the types
  /// of these; `nil` when SQL cannot do all of it.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - keys: The sorts.
  /// - Returns: The statement: its first two columns are key and number, the others are in the order of the sorts.
  /// - Throws: The error of a predicate or a sort that was not made well.
  package func sectionStatement(
    _ query: StoreQuery,
    values keys: [FetchSort]
  ) throws(PerennialError) -> (SelectStatement, [AttributeType])? {
    var translation = try translation(of: query)
    guard translation.isComplete else { return nil }
    let projection = try ProjectionQuery(query, sorts: keys, in: model)
    var translator = PredicateTranslator(schema: schema, store: identifier)
    let scope = PredicateTranslator.Scope(object: .init(entity: query.entity, alias: "t0"))
    var columns = "\(schema.rows.keyOfQuery), \(schema.entityNumber(of: query.entity, alias: "t0"))"
    var types: [AttributeType] = []
    for (number, key) in keys.enumerated() {
      guard case .attribute(let type) = projection.columns[number + 1].type,
        case .value(let text, let kind)? =
          translator.operand(ExpressionNode.object.appending(key.steps), scope),
        kind != .opaque, text.bindings.isEmpty
      else { return nil }
      types.append(type)
      columns += ", \(text.sql) AS s\(number)"
      // Named, so that the engine computes it once.
      translation.order = translation.order?.map { term in
        let rest = term.dropFirst(text.sql.count)
        guard term.hasPrefix(text.sql), rest.isEmpty || rest.hasPrefix(" ") else { return term }
        return "s\(number)" + rest
      }
    }
    var builder = SelectBuilder(query, output: .rows, schema: schema, translation: translation)
    return (builder.build(columns: columns), types)
  }
}
