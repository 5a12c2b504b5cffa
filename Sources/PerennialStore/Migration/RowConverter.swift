// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

/// Makes rows of one new entity of the rows of the old one.
///
/// Safe because a row is read while the caller holds its page.
struct RowConverter {
  /// Where the value of a new slot comes from.
  private enum Origin {
    /// Nowhere: it is null, or computed from other objects later.
    case none
    /// The attribute's default value.
    case initial
    /// An old slot.
    case slot(Int, Widening, fillsGaps: Bool)
    /// An old to-one relationship.
    case reference(Int, Range<Int>)
    /// Another slot of the new row.
    case copy(Int, TextTransform?)
    /// The time of the migration.
    case time
  }

  /// How a value becomes one of a wider type.
  private enum Widening {
    /// It lies in a slot as before.
    case none
    case integerToDouble, integerToDecimal

    init(_ old: AttributeType?, _ new: AttributeType?) {
      switch (old?.storage, new) {
      case (.integer, .float), (.integer, .double): self = .integerToDouble
      case (.integer, .decimal): self = .integerToDecimal
      default: self = .none
      }
    }
  }

  private let entity: EntityLayout
  /// The new entity.
  var destination: Int { entity.index }
  private let origins: [Origin]
  private let destinations: [Int?]
  private let time: Date

  /// A converter.
  ///
  /// - Parameters:
  ///   - entity: What becomes of the objects of the old entity.
  ///   - mapping: What becomes of everything else.
  ///   - derivations: How the derived attributes of the new entity are computed.
  ///   - time: The time of the migration.
  init(
    _ entity: EntityMapping,
    _ mapping: ModelMapping,
    _ derivations: [Derivation],
    time: Date
  ) {
    let old = mapping.source.entities[entity.source]
    let new = mapping.destination.entities[entity.destination]
    let formulas = Dictionary(uniqueKeysWithValues: derivations.map { ($0.slot, $0.formula) })
    self.entity = new
    destinations = mapping.destinations
    self.time = time
    origins = new.slots.indices.map { slot in
      let layout = new.slots[slot]
      let place = entity.slots[slot]
      switch formulas[slot] {
      case .copy(let other, let transform): return .copy(other, transform)
      case .path, .collection: return .none
      // A time that was taken before is kept.
      case .now where place.map({ old.slots[$0].isTimeOfSave }) != true: return .time
      case .now, nil: break
      }
      guard let place else { return layout.relationship == nil ? .initial : .none }
      if let relationship = layout.relationship {
        return .reference(place, mapping.destination.entities[relationship.destination].family)
      }
      let before = old.slots[place]
      return .slot(
        place,
        Widening(before.attributeType, layout.attributeType),
        fillsGaps: before.mayBeEmpty && !layout.isOptional
      )
    }
  }

  /// Writes the new row of an old one.
  func append(_ row: UnsafeRawPointer, to builder: inout PageBuilder) {
    builder.begin(
      key: PackedRow.key(row),
      version: PackedRow.version(row),
      entity: entity.index,
      slotCount: entity.slots.count
    )
    for (slot, origin) in origins.enumerated() {
      switch origin {
      case .none, .copy: break
      case .initial: builder.putDefault(slot, of: entity)
      case .time: builder.put(slot, word: time._word)
      case .reference(let place, let family): put(slot, row, place, family, &builder)
      case .slot(let place, let widening, let fillsGaps):
        if !PackedRow.isNull(row, place) {
          put(slot, row, place, widening, &builder)
        } else if fillsGaps {
          builder.putDefault(slot, of: entity)
        }
      }
    }
    for case (let slot, .copy(let other, let transform)) in zip(origins.indices, origins) {
      copy(other, to: slot, transform, &builder)
    }
    builder.end()
  }

  private func put(
    _ slot: Int,
    _ row: UnsafeRawPointer,
    _ place: Int,
    _ family: Range<Int>,
    _ builder: inout PageBuilder
  ) {
    guard !PackedRow.isNull(row, place) else { return }
    let old = PackedRow.reference(row, place)
    guard let entity = destinations[old.entity], family.contains(entity) else { return }
    let reference = ObjectReference(key: old.key, entity: entity)
    builder.put(slot, word: UInt64(bitPattern: reference.word))
  }

  private func put(
    _ slot: Int,
    _ row: UnsafeRawPointer,
    _ place: Int,
    _ widening: Widening,
    _ builder: inout PageBuilder
  ) {
    switch widening {
    case .integerToDouble:
      builder.put(slot, word: Double(PackedRow.integer(row, place)).bitPattern)
    case .integerToDecimal:
      var text = String(PackedRow.integer(row, place))
      text.withUTF8 { builder.put(slot, bytes: UnsafeRawBufferPointer($0)) }
    case .none where entity.slots[slot].storage == .bytes:
      builder.put(slot, bytes: PackedRow.bytes(row, place))
    case .none: builder.put(slot, word: PackedRow.word(row, place))
    }
  }

  /// Copies a value within the row that is being written.
  ///
  /// Bytes are copied first, because the row moves when it grows.
  private func copy(
    _ other: Int,
    to slot: Int,
    _ transform: TextTransform?,
    _ builder: inout PageBuilder
  ) {
    guard !PackedRow.isNull(builder.row, other) else { return }
    guard entity.slots[other].storage == .bytes else {
      return builder.put(slot, word: PackedRow.word(builder.row, other))
    }
    if let transform {
      var text = transform.apply(to: String._load(builder.row, other))
      text.withUTF8 { builder.put(slot, bytes: UnsafeRawBufferPointer($0)) }
    } else {
      let bytes = Array(PackedRow.bytes(builder.row, other))
      bytes.withUnsafeBytes { builder.put(slot, bytes: $0) }
    }
  }
}

extension SlotLayout {
  /// Whether the attribute is the time of the last save.
  fileprivate var isTimeOfSave: Bool { attribute?.normalDerivation == "now()" }
}
