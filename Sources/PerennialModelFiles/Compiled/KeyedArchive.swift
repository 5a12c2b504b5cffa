// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Synchronization

/// An archive of `NSKeyedArchiver`, read without making objects of its classes.
///
/// Objects of an archive may share others, so that a small file stands for a large tree, or for one without
/// end. So what is looked at is counted, and from a limit on there is nothing more to see.
final class KeyedArchive: Sendable {
  /// How many objects and units of text may be looked at: no model comes near.
  static let visitLimit = 20_000_000

  fileprivate let nodes: [BinaryPropertyList.Node]
  /// The fields of every node; none for what is no dictionary.
  fileprivate let fields: [[String: Int]]
  private let visitsLeft: Mutex<Int>
  /// The node of every object of the archive.
  fileprivate let objects: [Int]
  private let rootNode: Int

  /// Reads an archive.
  ///
  /// - Throws: What is wrong with the bytes.
  init(
    _ data: Data,
    visitLimit: Int = KeyedArchive.visitLimit
  ) throws(BinaryPropertyList.Failure) {
    visitsLeft = Mutex(visitLimit)
    let list = try BinaryPropertyList(data)
    nodes = list.nodes
    let fields = list.nodes.indices.map { Self.fields(of: $0, in: list.nodes) }
    self.fields = fields
    let top = fields[list.top]
    guard let place = top["$objects"], case .array(let objects) = list.nodes[place],
      let root = top["$top"].flatMap({ fields[$0]["root"] }), !objects.isEmpty
    else { throw BinaryPropertyList.Failure(reason: "it is no keyed archive") }
    self.objects = objects
    rootNode = root
  }

  /// The object that was archived.
  var root: ArchivedValue { ArchivedValue(self, rootNode) }

  /// Whether more was to be looked at than may be: what was read is not the whole.
  var isExhausted: Bool { visitsLeft.withLock { $0 < 0 } }

  /// Counts what is looked at.
  ///
  /// - Returns: Whether it may be.
  fileprivate func visit(_ count: Int = 1) -> Bool {
    visitsLeft.withLock { left in
      if left >= 0 { left -= count }
      return left >= 0
    }
  }

  /// The values of a dictionary by key, as far as its keys are texts.
  private static func fields(
    of node: Int,
    in nodes: [BinaryPropertyList.Node]
  ) -> [String: Int] {
    guard case .dictionary(let entries) = nodes[node] else { return [:] }
    var fields: [String: Int] = [:]
    for (key, value) in entries {
      if case .string(let name) = nodes[key] { fields[name] = value }
    }
    return fields
  }
}

/// A value of an archive: a number, a text, or an object with fields.
struct ArchivedValue: Sendable {
  private let archive: KeyedArchive
  /// The number of the node, which is no reference.
  private let node: Int

  fileprivate init(_ archive: KeyedArchive, _ node: Int) {
    self.archive = archive
    var node = node
    // A reference leads to an object, which is none in turn.
    if case .identifier(let number) = archive.nodes[node] {
      node = archive.objects.indices.contains(number) ? archive.objects[number] : archive.objects[0]
    }
    self.node = node
  }

  private var fields: [String: Int] { archive.fields[node] }

  private var value: BinaryPropertyList.Node { archive.nodes[node] }

  /// A field of an object; `nil` when it is missing or null.
  subscript(key: String) -> ArchivedValue? {
    guard archive.visit(), let place = fields[key] else { return nil }
    let value = ArchivedValue(archive, place)
    return value.isNull ? nil : value
  }

  private var isNull: Bool {
    switch value {
    case .null: true
    case .string(let text): text == "$null"
    default: false
    }
  }

  /// The name of an object's class.
  var className: String { self["$class"]?["$classname"]?.string ?? "" }

  /// A text, also one that was archived as an object.
  var string: String? {
    let value = fields["NS.string"].map { ArchivedValue(archive, $0).value } ?? value
    guard case .string(let text) = value, archive.visit(1 + text.utf8.count / 8) else {
      return nil
    }
    return text
  }

  var integer: Int64? {
    switch value {
    case .integer(let value): value
    case .boolean(let value): value ? 1 : 0
    case .real(let value): Int64(exactly: value)
    default: nil
    }
  }

  var number: Double? {
    switch value {
    case .real(let value): value
    default: integer.map(Double.init)
    }
  }

  /// The seconds since 2001 of a date that is no object.
  var seconds: Double? {
    if case .date(let value) = value { value } else { nil }
  }

  /// The attributes that a field of an object holds: those of a composite one, whichever its key is.
  var attributeElements: [ArchivedValue] {
    for key in fields.keys.sorted() {
      let elements = list(key)
      let areAttributes = elements.allSatisfy { $0.className.hasSuffix("AttributeDescription") }
      // Each becomes an attribute, which is large: a hundred thousand are enough.
      if !elements.isEmpty, areAttributes {
        return archive.visit(elements.count * 200) ? elements : []
      }
    }
    return []
  }

  /// Whether the archive has shown all that it shows: see ``KeyedArchive``.
  var isExhausted: Bool { archive.isExhausted }

  /// The number in a field of an object; 0 when there is none.
  func integer(_ key: String) -> Int64 { self[key]?.integer ?? 0 }

  /// Whether a value says yes.
  var isTrue: Bool { (integer ?? 0) != 0 }

  /// Whether a field of an object says yes.
  func isTrue(_ key: String) -> Bool { self[key]?.isTrue ?? false }

  var data: Data? {
    if case .data(let data) = value { return data }
    return self["NS.data"]?.data
  }

  /// The members of an array or a set.
  var elements: [ArchivedValue] {
    let list = fields["NS.objects"].map { archive.nodes[$0] } ?? value
    guard case .array(let members) = list, archive.visit(members.count) else { return [] }
    return members.map { ArchivedValue(archive, $0) }
  }

  /// The members of the array or set in a field of an object; none when there is none.
  func list(_ key: String) -> [ArchivedValue] { self[key]?.elements ?? [] }

  /// The entries of the dictionary in a field of an object; none when there is none.
  func entries(_ key: String) -> [(key: String, value: ArchivedValue)] { self[key]?.entries ?? [] }

  /// The entries of a dictionary whose keys are texts.
  ///
  /// Older frameworks archive the entities as an `NSKnownKeysDictionary`: a list of keys for many
  /// dictionaries, and a list of values.
  var entries: [(key: String, value: ArchivedValue)] {
    var keys = list("NS.keys")
    var values = elements
    if keys.isEmpty, let mapping = self["searchMapping"] {
      keys = mapping.list("keys")
      values = list("values")
    }
    return zip(keys, values).compactMap { key, value in key.string.map { ($0, value) } }
  }
}
