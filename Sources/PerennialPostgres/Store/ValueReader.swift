// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore

extension ValueReader {
  /// The value in a row; `nil` for a sum that does not fit.
  func value(
    _ result: PostgresResult,
    _ row: Int,
    _ column: Int,
    _ schema: StoreSchema,
    _ ids: ObjectIDMaker
  ) -> PropertyValue? {
    if result.isNull(row, column) { return .null }
    switch self {
    case .integerSum: return Self.whole(result, row, column).map { .integer($0) }
    case .object(let entity, let numberColumn):
      let number = numberColumn.flatMap { schema.entity(ofNumber: result.integer(row, $0)) }
      return .objectID(ids.id(number ?? entity, result.integer(row, column)))
    case .attribute(let type): return Self.value(result, row, column, type)
    }
  }

  private static func value(
    _ result: PostgresResult,
    _ row: Int,
    _ column: Int,
    _ type: AttributeType
  ) -> PropertyValue {
    switch type {
    case .int16, .int32, .int64: .integer(whole(result, row, column) ?? 0)
    case .bool: .boolean(result.integer(row, column) != 0)
    case .double, .float: .double(number(result, row, column))
    case .date: .date(Date(timeIntervalSinceReferenceDate: result.double(row, column)))
    case .decimal: .decimal(decimal(result, row, column))
    case .string: .string(result.text(row, column))
    case .url: .url(URL._stored(result.text(row, column)))
    case .uuid: .uuid(result.uuid(row, column) ?? UUID(uuid: Self.noUUID))
    case .binaryData, .transformable, .undefined, .objectID, .composite:
      .data(result.data(row, column))
    }
  }

  private static let noUUID: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

  /// A whole number; sums of `bigint` are of type `numeric`.
  private static func whole(_ result: PostgresResult, _ row: Int, _ column: Int) -> Int64? {
    guard result.typeNumber(ofColumn: column) == PostgresType.numeric.number else {
      return result.integer(row, column)
    }
    return result.numeric(row, column).flatMap { Int64($0.shortest) }
  }

  private static func number(_ result: PostgresResult, _ row: Int, _ column: Int) -> Double {
    switch result.typeNumber(ofColumn: column) {
    case PostgresType.double.number: result.double(row, column)
    case PostgresType.numeric.number:
      result.numeric(row, column).flatMap { Double($0.shortest) } ?? 0
    default: Double(result.integer(row, column))
    }
  }

  private static func decimal(_ result: PostgresResult, _ row: Int, _ column: Int) -> Decimal {
    let text =
      result.numeric(row, column)?.shortest ?? "\(result.integer(row, column))"
    return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) ?? 0
  }
}
#endif
