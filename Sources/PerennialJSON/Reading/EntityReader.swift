// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// Reads the objects of one entity straight into rows.
struct EntityReader {
  /// A member that a line may have.
  private struct Field {
    enum Target {
      case slot(Int, FieldKind)
      case list(RelationshipLayout)
    }

    let name: [UInt8]
    let target: Target
  }

  private let entity: EntityLayout
  /// In the order in which they are written.
  private let fields: [Field]
  private let transients: [Int]
  /// Whether a store has written the values, so that they are taken as they are.
  private let isSealed: Bool
  /// Where large values lie.
  private let values: ExternalData

  init(_ entity: EntityLayout, isSealed: Bool, values: ExternalData) {
    self.entity = entity
    self.values = values
    self.isSealed = isSealed
    var fields: [Field] = []
    for (slot, property) in entity.slots.enumerated() where !property.isTransient {
      fields.append(
        Field(name: Array(property.name.utf8), target: .slot(slot, FieldKind(property)))
      )
    }
    for relationship in WrittenList.relationships(of: entity) {
      fields.append(Field(name: Array(relationship.name.utf8), target: .list(relationship)))
    }
    self.fields = fields
    transients = entity.transientSlots
  }

  func read(
    _ scanner: inout JSONScanner,
    into state: inout LoadedState
  ) throws(JSONFault) {
    try scanner.expect(UInt8(ascii: "["))
    if scanner.skip(UInt8(ascii: "]")) { return }
    var builder = PageBuilder()
    var last: Int64 = 0
    repeat {
      if builder.isFull, builder.hasRows { state.add(builder.seal(), entity: entity.index) }
      last = try readRow(&scanner, after: last, &builder, &state)
    } while scanner.skip(UInt8(ascii: ","))
    try scanner.expect(UInt8(ascii: "]"))
    if builder.hasRows { state.add(builder.seal(), entity: entity.index) }
  }

  private static let keyName = Array(JSONFormat.key.utf8)
  private static let versionName = Array(JSONFormat.rowVersion.utf8)

  /// - Returns: The object's key.
  private func readRow(
    _ scanner: inout JSONScanner,
    after last: Int64,
    _ builder: inout PageBuilder,
    _ state: inout LoadedState
  ) throws(JSONFault) -> Int64 {
    try scanner.expect(UInt8(ascii: "{"))
    let start = scanner.position
    guard scanner.skip(name: Self.keyName) else {
      throw JSONFault("an object of '\(entity.name)' does not begin with its '_key'", at: start)
    }
    let key = try scanner.integer()
    guard key > last, key <= JSONFormat.greatestKey else {
      throw JSONFault("the keys of '\(entity.name)' do not rise from 1", at: start)
    }
    guard !state.has(key, root: entity.root) else {
      throw JSONFault("two objects have the key \(key) of '\(entity.name)'", at: start)
    }
    try scanner.expect(UInt8(ascii: ","))
    guard scanner.skip(name: Self.versionName),
      case let version = try scanner.integer(), version > 0 || isSealed && version == 0,
      version <= (isSealed ? JSONFormat.greatestVersion : JSONFormat.greatestEditedVersion)
    else {
      throw JSONFault("an object of '\(entity.name)' has no '_version' after its key", at: start)
    }
    builder.begin(
      key: key,
      version: UInt32(version),
      entity: entity.index,
      slotCount: entity.slots.count
    )
    for slot in transients { builder.putDefault(slot, of: entity) }
    try readMembers(of: key, &scanner, &builder, &state)
    builder.end()
    state.note(key, root: entity.root)
    return key
  }

  private func readMembers(
    of key: Int64,
    _ scanner: inout JSONScanner,
    _ builder: inout PageBuilder,
    _ state: inout LoadedState
  ) throws(JSONFault) {
    var next = 0
    var lists: [Int] = []
    while scanner.skip(UInt8(ascii: ",")) {
      let start = scanner.position
      let number = try field(&scanner, from: next)
      next = number + 1
      if scanner.skipNull() { continue }
      switch fields[number].target {
      case .slot(let slot, let kind):
        guard PackedRow.isNull(builder.row, slot) else {
          throw twice(fields[number], at: start)
        }
        if case .data = kind, entity.slots[slot].liesInFiles, scanner.peek() == UInt8(ascii: "{") {
          let place = ExternalValues.Place(root: entity.root, key: key, slot: slot)
          try readFile(of: place, &scanner, &builder, &state)
        } else {
          try read(kind, slot, &scanner, &builder)
        }
      case .list(let relationship):
        guard !lists.contains(number) else { throw twice(fields[number], at: start) }
        lists.append(number)
        state.add(try list(&scanner), of: relationship, owner: key)
      }
    }
    try scanner.expect(UInt8(ascii: "}"))
  }

  private func twice(_ field: Field, at position: Int) -> JSONFault {
    JSONFault("'\(String(decoding: field.name, as: UTF8.self))' is there twice", at: position)
  }

  /// The number of the field whose name comes next: usually the next one that is not left out.
  private func field(
    _ scanner: inout JSONScanner,
    from next: Int
  ) throws(JSONFault) -> Int {
    var number = next
    while number < fields.count {
      if scanner.skip(name: fields[number].name) { return number }
      number += 1
    }
    _ = scanner.peek()
    let start = scanner.position
    let name = try scanner.string()
    try scanner.expect(UInt8(ascii: ":"))
    guard let number = fields.firstIndex(where: { $0.name.elementsEqual(name.utf8) }) else {
      throw JSONFault("'\(entity.name)' has no stored property '\(name)'", at: start)
    }
    return number
  }

  private func list(_ scanner: inout JSONScanner) throws(JSONFault) -> [Int64] {
    try scanner.expect(UInt8(ascii: "["))
    if scanner.skip(UInt8(ascii: "]")) { return [] }
    var members: [Int64] = []
    repeat {
      members.append(try key(&scanner))
    } while scanner.skip(UInt8(ascii: ","))
    try scanner.expect(UInt8(ascii: "]"))
    return members
  }

  private func key(_ scanner: inout JSONScanner) throws(JSONFault) -> Int64 {
    let key = try scanner.integer()
    guard key > 0, key <= JSONFormat.greatestKey else {
      throw JSONFault("\(key) is no key of an object", at: scanner.position)
    }
    return key
  }

  // MARK: Values

  private func read(
    _ kind: FieldKind,
    _ slot: Int,
    _ scanner: inout JSONScanner,
    _ builder: inout PageBuilder
  ) throws(JSONFault) {
    switch kind {
    case .integer(let range):
      let value = try scanner.integer()
      guard isSealed || range.contains(value) else {
        throw JSONFault(
          "'\(entity.slots[slot].name)' is beyond the numbers of its type",
          at: scanner.position
        )
      }
      builder.put(slot, word: UInt64(bitPattern: value))
    case .boolean: builder.put(slot, word: try scanner.boolean() ? 1 : 0)
    case .double: builder.put(slot, word: try scanner.double().bitPattern)
    case .date: builder.put(slot, word: try scanner.date().bitPattern)
    case .text: builder.put(slot, bytes: try scanner.text())
    case .url: builder.put(slot, bytes: try url(&scanner))
    case .decimal: put(try decimal(&scanner), slot, &builder)
    case .data: put(try scanner.base64(), slot, &builder)
    case .uuid: put(try uuid(&scanner), slot, &builder)
    case .reference:
      let reference = ObjectReference(key: try key(&scanner), entity: 0)
      builder.put(slot, word: UInt64(bitPattern: reference.word))
    }
  }

  /// Reads the value of a file that the text names.
  private func readFile(
    of place: ExternalValues.Place,
    _ scanner: inout JSONScanner,
    _ builder: inout PageBuilder,
    _ state: inout LoadedState
  ) throws(JSONFault) {
    try scanner.expect(UInt8(ascii: "{"))
    let start = scanner.position
    try scanner.expect(name: JSONFormat.file)
    let name = try scanner.string()
    try scanner.expect(UInt8(ascii: ","))
    try scanner.expect(name: JSONFormat.checksum)
    let checksum = try scanner.string()
    try scanner.expect(UInt8(ascii: "}"))
    let contents: FileContents
    do throws(FileFailure) {
      contents = try values.contents(named: name)
    } catch {
      throw valueFault(
        place,
        error.isAboutMissingFile ? "is missing" : "cannot be read: \(error.message)",
        start
      )
    }
    let sum = contents.checksum
    guard checksum.utf8.elementsEqual(sum.hexadecimal) else {
      throw valueFault(place, "is damaged", start)
    }
    guard builder.hasRoom(for: contents.count) else {
      throw valueFault(place, "is too large for its object", start)
    }
    state.external.note(.init(name: name, checksum: sum), at: place)
    contents.withBytes { builder.put(place.slot, bytes: $0) }
  }

  private func valueFault(
    _ place: ExternalValues.Place,
    _ problem: String,
    _ position: Int
  ) -> JSONFault {
    JSONFault(
      "the file of a value of '\(entity.name).\(entity.slots[place.slot].name)' \(problem)",
      at: position,
      recovery: "restore the folder of the store's large values from a copy"
    )
  }

  /// Safe because the row takes a copy of the bytes.
  private func put(_ bytes: [UInt8], _ slot: Int, _ builder: inout PageBuilder) {
    bytes.withUnsafeBytes { builder.put(slot, bytes: $0) }
  }

  /// The usual text of a decimal number.
  private func decimal(_ scanner: inout JSONScanner) throws(JSONFault) -> [UInt8] {
    _ = scanner.peek()
    let start = scanner.position
    let text = try scanner.text()
    if isSealed || DecimalText.isUsual(text) { return Array(text) }
    guard let bytes = DecimalText.usual(String(decoding: text, as: UTF8.self)) else {
      throw JSONFault("a decimal number is missing", at: start)
    }
    return bytes
  }

  private func url(_ scanner: inout JSONScanner) throws(JSONFault) -> UnsafeRawBufferPointer {
    _ = scanner.peek()
    let start = scanner.position
    let text = try scanner.text()
    if isSealed || URL(string: String(decoding: text, as: UTF8.self)) != nil { return text }
    throw JSONFault("a URL is missing", at: start)
  }

  private func uuid(_ scanner: inout JSONScanner) throws(JSONFault) -> [UInt8] {
    _ = scanner.peek()
    let start = scanner.position
    let text = try scanner.text()
    if text.count == 36, let uuid = UUID(uuidString: String(decoding: text, as: UTF8.self)) {
      return withUnsafeBytes(of: uuid.uuid) { Array($0) }
    }
    guard isSealed, let bytes = Base64.decode(text), bytes.count != 16 else {
      throw JSONFault("a UUID is missing", at: start)
    }
    return bytes
  }
}
