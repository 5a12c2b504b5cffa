// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// Checks changed objects against the model before a save.
enum Validation {
  /// Everything that is wrong with an inserted or updated object.
  static func problems(
    of object: ManagedObject,
    in context: ManagedObjectContext
  ) throws(PerennialError) -> [PerennialError] {
    guard let home = object._home, let row = object._row else { return [] }
    let layout = home.pointee.layout
    var problems: [PerennialError] = []
    for (slot, property) in layout.slots.enumerated() {
      if PackedRow.isNull(row, slot) {
        if !property.isOptional { problems.append(.missingValue(object, property.name)) }
        continue
      }
      if let problem = problem(of: property, slot, row, object) { problems.append(problem) }
    }
    for relationship in layout.toManys where isCounted(relationship.description) {
      let count = try context.memberCount(of: object, relationship)
      if let problem = problem(ofCount: count, relationship, object) { problems.append(problem) }
    }
    return problems
  }

  private static func problem(
    of property: SlotLayout,
    _ slot: Int,
    _ row: UnsafeRawPointer,
    _ object: ManagedObject
  ) -> PerennialError? {
    switch property.attribute?.type {
    case .double, .float, .date:
      PackedRow.double(row, slot).isNaN ? .notANumber(object, property.name) : nil
    case .decimal:
      DecimalDigits.count(PackedRow.bytes(row, slot)) > DecimalDigits.limit
        ? .tooManyDigits(object, property.name) : nil
    default: nil
    }
  }

  private static func isCounted(_ relationship: RelationshipDescription) -> Bool {
    !relationship.isOptional || relationship.minimumCount > 0 || relationship.maximumCount > 0
  }

  private static func problem(
    ofCount count: Int,
    _ relationship: RelationshipLayout,
    _ object: ManagedObject
  ) -> PerennialError? {
    let description = relationship.description
    if count == 0, description.isOptional { return nil }
    if count < max(description.minimumCount, description.isOptional ? 0 : 1) {
      return .tooFew(object, relationship)
    }
    if description.maximumCount > 0, count > description.maximumCount {
      return .tooMany(object, relationship)
    }
    return nil
  }
}

/// The significant digits of a decimal's text.
private enum DecimalDigits {
  /// What the DECIMAL column of a SQLite store keeps exactly.
  static let limit = 15

  static func count(_ text: UnsafeRawBufferPointer) -> Int {
    let digits = text.filter { (48...57).contains($0) }.drop { $0 == 48 }
    let trailing = digits.reversed().prefix { $0 == 48 }.count
    return digits.count - trailing
  }
}
