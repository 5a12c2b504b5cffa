// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel
package import PerennialPredicate
import PerennialStore

// Statements that users write.

extension SQLRowStore {
  /// The statement as a part of one that only reads: a second statement, or one that writes, does not compile.
  package func statement(of sql: RawSQL) throws(PerennialError) -> SelectStatement {
    var text = ""
    var bindings: [SQLValue] = []
    for part in sql.parts {
      switch part {
      case .text(let literal): text += literal
      case .table(let name): text += schema.table(of: try model.entity(named: name).index)
      case .column(let entity, let property):
        text += try column(of: property, in: model.entity(named: entity))
      case .value(let value):
        text += "?"
        bindings.append(SQLValue(binding: value))
      case .unusable(let type):
        throw PerennialError(
          .typeMismatch,
          "A statement in SQL cannot bind a value of the type '\(type)'.",
          recovery: "interpolate a string, number, date, UUID, URL, data or object ID"
        )
      }
    }
    // The line break ends a comment at the end of the text.
    let key = schema.rows.key
    return SelectStatement(sql: "SELECT q.\(key) FROM (\(text)\n) AS q", bindings: bindings)
  }

  private func column(
    of property: String,
    in entity: EntityLayout
  ) throws(PerennialError) -> String {
    guard let slot = entity.slotsByName[property],
      let column = schema.column(of: slot, in: entity.index)
    else { throw .unknownProperty(property, of: entity) }
    return column.name
  }
}

extension SQLValue {
  /// A value as columns of its type hold it.
  init(binding value: PropertyValue) {
    switch value {
    case .null: self = .null
    case .boolean(let flag): self = .integer(flag ? 1 : 0)
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .double(number)
    case .decimal(let number):
      let double = number.closestDouble
      // From there on a whole number is an integer in its column, and a double another one.
      let whole = double.magnitude < 0x1p53 ? nil : Int64(number.description)
      self = whole.map { .integer($0) } ?? .double(double)
    case .string(let text): self = .text(text)
    case .date(let date): self = .double(date.timeIntervalSinceReferenceDate)
    case .data(let data): self = .blob(data)
    // Safe because the bytes are copied inside the call that lends them.
    case .uuid(let uuid): self = .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
    case .url(let url): self = .text(url.absoluteString)
    case .objectID(let id): self = .integer(id.key)
    }
  }
}
