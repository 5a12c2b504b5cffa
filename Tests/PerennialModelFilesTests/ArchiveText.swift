// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

@testable import PerennialModelFiles

/// Writes keyed archives of models by hand, also such as no archiver makes.
struct ArchiveText {
  /// A value of an object: a number, or the object of a number.
  indirect enum Value: Sendable {
    case integer(Int)
    case real(Double)
    case yes(Bool)
    /// Seconds since 2001.
    case date(Double)
    case data([UInt8])
    case object(Int)
    case list([Int])
  }

  private enum Content {
    case text(String)
    case fields([(String, Value)])
  }

  private var objects: [Content] = [.text("$null")]

  /// Adds a text.
  mutating func text(_ text: String) -> Int {
    objects.append(.text(text))
    return objects.count - 1
  }

  /// Adds an object, and gives its number, which is also that of a reference to itself.
  mutating func object(_ className: String, _ fields: [(String, Value)] = []) -> Int {
    let name = text(className)
    objects.append(.fields([("$classname", .object(name))]))
    objects.append(.fields([("$class", .object(objects.count - 1))] + fields))
    return objects.count - 1
  }

  /// Gives an object its fields, so that it may name itself.
  mutating func set(_ object: Int, _ key: String, _ value: Value) {
    guard case .fields(let fields) = objects[object] else { return }
    objects[object] = .fields(fields + [(key, value)])
  }

  mutating func array(_ members: [Int]) -> Int {
    object("NSArray", [("NS.objects", .list(members))])
  }

  mutating func dictionary(_ entries: [(String, Int)]) -> Int {
    let keys = entries.map { text($0.0) }
    return object(
      "NSDictionary",
      [("NS.keys", .list(keys)), ("NS.objects", .list(entries.map(\.1)))]
    )
  }

  mutating func attribute(_ name: String, _ type: Int, _ fields: [(String, Value)] = []) -> Int {
    let name = text(name)
    return object(
      "NSAttributeDescription",
      [("NSPropertyName", .object(name)), ("NSAttributeType", .integer(type))]
        + [("NSIsOptional", .integer(1))] + fields
    )
  }

  /// The archive of a model of an entity `Thing` with some properties.
  mutating func model(
    of properties: [(String, Int)],
    entity fields: [(String, Value)] = [],
    root others: [(String, Value)] = []
  ) -> Data {
    let name = text("Thing")
    let all = dictionary(properties)
    let entity = object(
      "NSEntityDescription",
      [("NSEntityName", .object(name)), ("NSProperties", .object(all))] + fields
    )
    let entities = dictionary([("Thing", entity)])
    let root = object("NSManagedObjectModel", [("NSEntities", .object(entities))] + others)
    return data(root: root)
  }

  // MARK: Bytes

  /// The archive as a binary property list, whose references have three bytes.
  private func data(root: Int) -> Data {
    var nodes: [[UInt8]] = []
    var strings: [String: Int] = [:]
    func add(_ node: [UInt8]) -> Int {
      nodes.append(node)
      return nodes.count - 1
    }
    func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
      count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15, 0x12] + bytes(count, 4)
    }
    func bytes(_ number: Int, _ size: Int) -> [UInt8] {
      (0..<size).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) }
    }
    func string(_ text: String) -> Int {
      if let known = strings[text] { return known }
      strings[text] = add(marker(5, text.utf8.count) + Array(text.utf8))
      return nodes.count - 1
    }
    func reference(_ object: Int) -> Int { add([0x83] + bytes(object, 4)) }
    func array(_ members: [Int]) -> Int {
      add(marker(0xA, members.count) + members.flatMap { bytes($0, 3) })
    }
    func dictionary(_ entries: [(Int, Int)]) -> Int {
      add(
        marker(0xD, entries.count) + entries.flatMap { bytes($0.0, 3) }
          + entries.flatMap { bytes($0.1, 3) }
      )
    }
    func node(_ value: Value) -> Int {
      switch value {
      // Numbers below zero have eight bytes.
      case .integer(let number):
        add(number < 0 ? [0x13] + bytes(number, 8) : [0x12] + bytes(number, 4))
      case .real(let number): add([0x23] + bytes(Int(bitPattern: UInt(number.bitPattern)), 8))
      case .yes(let isTrue): add([isTrue ? 0x09 : 0x08])
      case .date(let seconds): add([0x33] + bytes(Int(bitPattern: UInt(seconds.bitPattern)), 8))
      case .data(let content): add(marker(4, content.count) + content)
      case .object(let number): reference(number)
      case .list(let members): array(members.map(reference))
      }
    }
    let contents = objects.map { content in
      switch content {
      case .text(let text): string(text)
      case .fields(let fields):
        dictionary(
          fields.map { key, value in
            // The name of a class is no reference.
            if key == "$classname", case .object(let name) = value,
              case .text(let text) = objects[name]
            {
              return (string(key), string(text))
            }
            return (string(key), node(value))
          }
        )
      }
    }
    let list = array(contents)
    let tops = dictionary([(string("root"), reference(root))])
    let top = dictionary([(string("$objects"), list), (string("$top"), tops)])
    var file = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for node in nodes {
      offsets += bytes(file.count, 4)
      file += node
    }
    let table = file.count
    file += offsets + [0, 0, 0, 0, 0, 0, 4, 3]
    for number in [nodes.count, top, table] { file += bytes(number, 8) }
    return Data(file)
  }
}
