// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore

/// The version hashes and the model in a store's metadata, found without making objects of all the rest.
///
/// Foundation takes longer to read the metadata than SQLite to open the file. So a list that looks as
/// Foundation itself writes them is read here. Of any other list, damaged ones among them, nothing is said:
/// ``StoreMetadata`` reads it, and decides what is wrong.
struct OrdinaryMetadata {
  /// The version hashes, of the kind that Perennial computes.
  let hashes: VersionHashes
  /// The model, as ``StoredModel/encode(_:)`` made it; `nil` when the store does not have it.
  let encodedModel: Data?

  /// The lists that were read last: a program opens a store again, and each may be looked at twice
  /// (``StoreOpener``).
  private static let recent = RecentValues<(list: Data, metadata: OrdinaryMetadata?)>()
  /// So long is a list at most that is remembered, in bytes.
  private static let longest = 1 << 16

  /// What is in a list, known or read; `nil` when it is not an ordinary one, or has no hashes.
  static func read(_ list: Data) -> OrdinaryMetadata? {
    guard list.count <= longest else { return OrdinaryMetadata(list) }
    return recent.value {
      $0.list == list
    } orMake: {
      (list, OrdinaryMetadata(list))
    }
    .metadata
  }

  /// Reads a list; `nil` when it is not an ordinary one, or has no hashes.
  init?(_ data: Data) {
    guard let list = try? BinaryPropertyList(data),
      let entries = Self.entries(of: list.top, list.nodes),
      let version = entries[StoreMetadata.Key.hashesVersion],
      case .integer(3) = list.nodes[version],
      let place = entries[StoreMetadata.Key.hashes], place != list.top,
      list.nodes.indices.allSatisfy({
        $0 == list.top || $0 == place || Self.isOrdinary(list.nodes[$0], list.nodes)
      }),
      entries.values.allSatisfy({ $0 != list.top }),
      let places = Self.entries(of: place, list.nodes)
    else { return nil }
    var hashes: [String: Data] = [:]
    for (name, place) in places {
      guard case .data(let hash) = list.nodes[place] else { return nil }
      hashes[name] = hash
    }
    self.hashes = VersionHashes(byEntity: hashes)
    let model = entries[PersistentStoreMetadata.modelKey].map { list.nodes[$0] }
    encodedModel = if case .data(let encoded) = model { encoded } else { nil }
  }

  /// Whether Foundation would read a node, and as the same.
  private static func isOrdinary(
    _ node: BinaryPropertyList.Node,
    _ nodes: [BinaryPropertyList.Node]
  ) -> Bool {
    switch node {
    case .boolean, .integer, .real, .date, .data: true
    // Whether a text beyond ASCII is damaged cannot be told from here.
    case .string(let text): text.utf8.allSatisfy { $0 < 0x80 }
    // Lists within lists may contain themselves; nobody writes them, nor dictionaries.
    case .array(let elements):
      elements.allSatisfy { element in
        switch nodes[element] {
        case .array, .dictionary: false
        default: true
        }
      }
    case .dictionary, .null, .identifier: false
    }
  }

  /// The places of a dictionary's values; `nil` when it is none, or a key is no text or there twice.
  private static func entries(
    of number: Int,
    _ nodes: [BinaryPropertyList.Node]
  ) -> [String: Int]? {
    guard case .dictionary(let pairs) = nodes[number] else { return nil }
    var entries: [String: Int] = [:]
    entries.reserveCapacity(pairs.count)
    for (key, value) in pairs {
      guard case .string(let name) = nodes[key], entries.updateValue(value, forKey: name) == nil
      else { return nil }
    }
    return entries
  }
}
