// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// Writes a whole store as text: what is the same gives the same bytes.
struct StateWriter {
  private let state: InMemoryState
  private let header: StoreHeader
  private let external: ExternalValues

  /// - Parameters:
  ///   - state: The objects.
  ///   - header: What the file says about itself; the next keys are those of the state.
  ///   - external: Which values lie in files of their own.
  init(
    _ state: InMemoryState,
    _ header: StoreHeader,
    _ external: ExternalValues = ExternalValues()
  ) {
    self.state = state
    self.header = header
    self.external = external
  }

  func write(to output: inout JSONOutput) throws(FileFailure) {
    write(headerTo: &output)
    output.write("\"entities\":{\n")
    var isFirst = true
    for entity in JSONFormat.entities(of: state) {
      output.write(isFirst ? " " : ",")
      isFirst = false
      output.write(quoted: entity.name)
      output.write(":[\n")
      try EntityWriter(entity, of: state, external).write(to: &output)
      output.write("]\n")
    }
    output.write("},\n")
    if let history = state.history { try HistoryText.write(history, to: &output) }
    try output.finish()
  }

  private func write(headerTo output: inout JSONOutput) {
    output.write("{\n\"format\":")
    output.write(quoted: JSONFormat.name)
    output.write(",\n\"formatVersion\":")
    output.write(JSONFormat.version)
    output.write(",\n\"store\":")
    output.write(quoted: header.identifier.uuidString)
    output.write(",\n\"model\":")
    Self.write(header.hashes.byEntity, to: &output) { $0.write(quoted: $1.base64EncodedString()) }
    if let schema = header.schema {
      output.write(",\n\"schema\":")
      output.write(schema.bytes)
    }
    let roots = state.model.entities.filter { $0.root == $0.index }
    let nextKeys = roots.map { ($0.name, state.nextKeys[$0.index]) }
    output.write(",\n\"nextKeys\":")
    Self.write(Dictionary(uniqueKeysWithValues: nextKeys), to: &output) { $0.write($1) }
    output.write(",\n\"metadata\":")
    Self.write(metadata: header.metadata, to: &output)
    output.write(",\n")
  }

  static func write(metadata: [String: PropertyValue], to output: inout JSONOutput) {
    write(metadata, to: &output, MetadataValue.write)
  }

  /// An object, one member a line, by name.
  private static func write<Value>(
    _ members: [String: Value],
    to output: inout JSONOutput,
    _ body: (inout JSONOutput, Value) -> Void
  ) {
    output.write("{\n")
    let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    for (index, member) in sorted.enumerated() {
      output.write(index == 0 ? " " : ",")
      output.write(quoted: member.key)
      output.write(":")
      body(&output, member.value)
      output.write("\n")
    }
    output.write("}")
  }
}

extension JSONFormat {
  /// The entities that have objects, by name: abstract ones only in a draft, for the code of a migration.
  static func entities(of state: InMemoryState) -> [EntityLayout] {
    state.model.entities.filter { entity in
      !entity.description.isAbstract
        || !state.rows(ofConcrete: entity.index).isEmpty
    }
    .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}

/// Writes the objects of one entity, one a line.
private struct EntityWriter {
  private struct Field {
    let slot: Int
    let kind: FieldKind
    /// The comma, the name and the colon.
    let beginning: [UInt8]
  }

  private struct List {
    let beginning: [UInt8]
    let members: [Int64: [Int64]]
  }

  private let rows: [PageRow]
  private let fields: [Field]
  private let lists: [List]
  private let root: Int
  private let external: ExternalValues

  init(_ entity: EntityLayout, of state: InMemoryState, _ external: ExternalValues) {
    root = entity.root
    self.external = external
    let rows = state.rows(ofConcrete: entity.index)
    self.rows = rows
    fields = entity.slots.enumerated().filter { !$1.isTransient }.map { slot, property in
      Field(slot: slot, kind: FieldKind(property), beginning: Self.beginning(property.name))
    }
    lists = WrittenList.relationships(of: entity).map { relationship in
      List(
        beginning: Self.beginning(relationship.name),
        members: Self.members(of: relationship, owners: Set(rows.map(\.key)), state)
      )
    }
  }

  private static func beginning(_ name: String) -> [UInt8] { Array(",\"\(name)\":".utf8) }

  /// The members of every owner.
  ///
  /// A pair of a symmetric relationship is written once, if no order is.
  private static func members(
    of relationship: RelationshipLayout,
    owners: Set<Int64>,
    _ state: InMemoryState
  ) -> [Int64: [Int64]] {
    let rows = state.members(of: relationship, owners: owners)
    let isSymmetric = relationship.side.map { state.model.links[$0.link].isSymmetric } ?? false
    guard isSymmetric, !relationship.isOrdered else { return rows.mapValues { $0.map(\.key) } }
    var members: [Int64: [Int64]] = [:]
    for (owner, rows) in rows {
      members[owner] = rows.map(\.key).filter { $0 >= owner }
    }
    return members
  }

  func write(to output: inout JSONOutput) throws(FileFailure) {
    for (index, row) in rows.enumerated() {
      output.write(index == 0 ? " {\"_key\":" : ",{\"_key\":")
      output.write(row.key)
      output.write(",\"_version\":")
      output.write(Int64(row.version))
      write(row.pointer, to: &output)
      for list in lists {
        guard let members = list.members[row.key], !members.isEmpty else { continue }
        write(members, of: list, to: &output)
      }
      output.write("}\n")
      try output.flushIfLarge()
    }
  }

  /// Safe because the state, which this value holds the rows of, keeps the row's page.
  private func write(_ row: UnsafeRawPointer, to output: inout JSONOutput) {
    for field in fields where !PackedRow.isNull(row, field.slot) {
      output.write(field.beginning)
      let slot = field.slot
      switch field.kind {
      case .integer: output.write(PackedRow.integer(row, slot))
      case .boolean:
        if PackedRow.integer(row, slot) != 0 { output.write("true") } else { output.write("false") }
      case .double: output.write(PackedRow.double(row, slot))
      case .date: output.write(date: PackedRow.double(row, slot))
      case .decimal, .text, .url: output.write(quoted: PackedRow.bytes(row, slot))
      case .uuid: output.write(uuid: PackedRow.bytes(row, slot))
      case .data:
        let place = ExternalValues.Place(root: root, key: PackedRow.key(row), slot: slot)
        if let file = external.isEmpty ? nil : external[place] {
          output.write("{\"file\":")
          output.write(quoted: file.name)
          output.write(",\"checksum\":\"")
          output.write(file.checksum.hexadecimal)
          output.write("\"}")
        } else {
          output.write(base64: PackedRow.bytes(row, slot))
        }
      case .reference: output.write(PackedRow.reference(row, slot).key)
      }
    }
  }

  private func write(_ members: [Int64], of list: List, to output: inout JSONOutput) {
    output.write(list.beginning)
    for (index, member) in members.enumerated() {
      output.write(index == 0 ? "[" : ",")
      output.write(member)
    }
    output.write("]")
  }
}

extension JSONOutput {
  /// ISO 8601, or the seconds since 2001 for a date that has no such text.
  mutating func write(date seconds: Double) {
    guard let text = ISODate.text(seconds) else { return write(seconds) }
    write(UInt8(ascii: "\""))
    write(text)
    write(UInt8(ascii: "\""))
  }

  /// The usual text of an identifier, or base 64 of what has not 16 bytes.
  mutating func write(uuid bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return write(base64: bytes) }
    write(quoted: UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)).uuidString)
  }
}
