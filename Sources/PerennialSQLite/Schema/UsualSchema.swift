// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL

/// The schema that a new store of a model gets, with the statements that make its tables.
struct UsualSchema: Sendable {
  let schema: StoreSchema
  let statements: Set<String>

  /// Those that were asked for last: a program opens many stores of one model, and each of them twice
  /// (``StoreOpener``).
  private static let recent = RecentValues<UsualSchema>()

  /// The schema of a model, made the first time.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - numbers: The entities' numbers in the store.
  /// - Returns: The schema.
  static func of(_ model: ModelLayout, _ numbers: [Int64]) -> UsualSchema {
    recent.value {
      $0.schema.model === model && $0.schema.numbers == numbers
    } orMake: {
      var builder = SchemaBuilder(model: model, numbers: numbers)
      let schema = builder.build()
      return UsualSchema(schema: schema, statements: Set(SchemaSQL(schema).tables))
    }
  }
}
