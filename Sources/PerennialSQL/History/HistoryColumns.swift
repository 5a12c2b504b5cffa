// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// The bits of `ZCOLUMNS`: which properties an update wrote.
///
/// The properties of an entity, inherited ones and relationships included, are numbered in the order
/// of their names' bytes; bit 0 is the least significant one of the first byte. (Which order Core Data
/// has no sample shows.)
///
/// `@usableFromInline`, since stores read the bytes of every change.
@usableFromInline
package struct HistoryColumns: Sendable, Equatable {
  @usableFromInline let names: [String]
  private let numbers: [String: Int]

  /// The numbers of an entity's properties.
  package init(_ entity: EntityLayout) {
    let stored = entity.slots.filter { !$0.isTransient }.map(\.name) + entity.toManys.map(\.name)
    names = stored.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    numbers = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  /// The bytes for some properties.
  package func bytes(of properties: Set<String>) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (names.count + 7) / 8)
    for number in properties.compactMap({ numbers[$0] }) { bytes[number / 8] |= 1 << (number % 8) }
    return bytes
  }

  /// The properties of bytes; bits that no property has are passed over.
  @inlinable
  package func properties(of bytes: some RandomAccessCollection<UInt8>) -> Set<String> {
    var found: Set<String> = []
    for (index, byte) in bytes.enumerated() where byte != 0 {
      for bit in 0..<8 where byte >> bit & 1 == 1 && index * 8 + bit < names.count {
        found.insert(names[index * 8 + bit])
      }
    }
    return found
  }
}
