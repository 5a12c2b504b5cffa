// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// Reads the text of a store: first what it says about itself, then its objects.
///
/// Safe because whoever makes a reader keeps the bytes as long as it reads.
struct StateReader: ~Copyable {
  private var scanner: JSONScanner
  /// Whether a store has written the text: then its values are taken as they are, so that a store can
  /// always read what it has written.
  let isSealed: Bool

  /// A reader of bytes that the caller keeps.
  ///
  /// - Throws: What is wrong with the bytes as a whole.
  init(_ bytes: UnsafeRawBufferPointer) throws(JSONFault) {
    isSealed = try JSONEnvelope(bytes).check()
    scanner = JSONScanner(bytes)
  }

  // MARK: The header

  private static let schemaName = Array(JSONFormat.schema.utf8)

  mutating func header() throws(JSONFault) -> StoreHeader {
    try scanner.expect(UInt8(ascii: "{"))
    try scanner.expect(name: JSONFormat.format)
    _ = try scanner.string()
    try comma()
    try scanner.expect(name: JSONFormat.formatVersion)
    let version = try scanner.integer()
    guard version == JSONFormat.version else {
      throw JSONFault.otherVersion(version, mayBeDamaged: false)
    }
    try comma()
    try scanner.expect(name: JSONFormat.store)
    let position = scanner.position
    guard let identifier = UUID(uuidString: try scanner.string()) else {
      throw JSONFault("the store's identifier is no UUID", at: position)
    }
    try comma()
    var header = StoreHeader(identifier: identifier, hashes: try hashes())
    try comma()
    if scanner.skip(name: Self.schemaName) {
      header.schema = ModelText(try scanner.wholeObject())
      try comma()
    }
    try scanner.expect(name: JSONFormat.nextKeys)
    try members { name, scanner throws(JSONFault) in
      let position = scanner.position
      let next = try scanner.integer()
      guard JSONFormat.possibleNextKeys.contains(next) else {
        throw JSONFault("the next key of '\(name)' is no key", at: position)
      }
      header.nextKeys[name] = next
    }
    try comma()
    try scanner.expect(name: JSONFormat.metadata)
    try members { name, scanner throws(JSONFault) in
      header.metadata[name] = try MetadataValue.read(&scanner)
    }
    try comma()
    return header
  }

  private mutating func hashes() throws(JSONFault) -> VersionHashes {
    try scanner.expect(name: JSONFormat.model)
    var hashes: [String: Data] = [:]
    try members { name, scanner throws(JSONFault) in
      hashes[name] = Data(try scanner.base64())
    }
    return VersionHashes(byEntity: hashes)
  }

  private mutating func comma() throws(JSONFault) { try scanner.expect(UInt8(ascii: ",")) }

  /// Reads the members of an object.
  private mutating func members(
    _ body: (String, inout JSONScanner) throws(JSONFault) -> Void
  ) throws(JSONFault) {
    try scanner.expect(UInt8(ascii: "{"))
    if scanner.skip(UInt8(ascii: "}")) { return }
    var names: Set<String> = []
    repeat {
      let position = scanner.position
      let name = try scanner.string()
      guard names.insert(name).inserted else {
        throw JSONFault("'\(name)' is there twice", at: position)
      }
      try scanner.expect(UInt8(ascii: ":"))
      try body(name, &scanner)
    } while scanner.skip(UInt8(ascii: ","))
    try scanner.expect(UInt8(ascii: "}"))
  }

  // MARK: Counting

  /// Counts the objects of every entity, after the header, without the model.
  ///
  /// - Returns: The numbers by the names of the entities, and whether there is a history.
  /// - Throws: What is wrong with the text as JSON, and where.
  mutating func objectCounts() throws(JSONFault) -> (counts: [String: Int], hasHistory: Bool) {
    var counts: [String: Int] = [:]
    try scanner.expect(name: JSONFormat.entities)
    try members { name, scanner throws(JSONFault) in
      var count = 0
      try scanner.expect(UInt8(ascii: "["))
      if !scanner.skip(UInt8(ascii: "]")) {
        repeat {
          _ = try scanner.wholeObject()
          count += 1
        } while scanner.skip(UInt8(ascii: ","))
        try scanner.expect(UInt8(ascii: "]"))
      }
      counts[name] = count
    }
    try comma()
    return (counts, scanner.skip(name: Array(HistoryText.section.utf8)))
  }

  // MARK: The objects

  /// Reads the objects, after the header, and checks what they name.
  ///
  /// - Parameters:
  ///   - model: The model, whose version is that of the header.
  ///   - header: The header.
  ///   - values: Where large values lie.
  ///   - isDraft: Whether entities that are abstract now may have objects that code has not moved yet.
  /// - Returns: The objects, and which of their values lie in files.
  /// - Throws: What is wrong with the text, and where.
  mutating func state(
    of model: ModelLayout,
    _ header: StoreHeader,
    values: ExternalData,
    isDraft: Bool
  ) throws(JSONFault) -> (InMemoryState, ExternalValues) {
    var loaded = LoadedState(model, isSealed: isSealed)
    let isSealed = isSealed
    try scanner.expect(name: JSONFormat.entities)
    try members { name, scanner throws(JSONFault) in
      guard let index = model.entitiesByName[name],
        isDraft || !model.entities[index].description.isAbstract
      else {
        throw JSONFault("the model has no entity '\(name)' with objects", at: scanner.position)
      }
      let reader = EntityReader(model.entities[index], isSealed: isSealed, values: values)
      try reader.read(&scanner, into: &loaded)
    }
    try comma()
    var history: InMemoryHistory?
    if scanner.skip(name: Array(HistoryText.section.utf8)) {
      history = try HistoryText.read(&scanner, store: header.identifier, isSealed: isSealed)
      try comma()
    }
    try scanner.expect(name: JSONFormat.checksum)
    // The checksum itself has been looked at before.
    if !scanner.skipNull() { _ = try scanner.string() }
    try scanner.expect(UInt8(ascii: "}"))
    try scanner.expectEnd()
    var state = try loaded.finish(header)
    state.history = history
    return (state, loaded.external)
  }
}
