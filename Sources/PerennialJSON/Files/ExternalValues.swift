// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// Which values of a state lie in files of their own.
///
/// Only values of attributes that allow it, and only large ones. A value that stays as it is keeps its file; a
/// new one gets a new file, which is on the disk before the text that names it.
struct ExternalValues: Sendable {
  /// A value: of which object, and which attribute.
  struct Place: Hashable, Sendable {
    let root: Int
    let key: Int64
    let slot: Int
  }

  /// A file, and the checksum of what it holds.
  struct File: Hashable, Sendable {
    let name: String
    let checksum: UInt64
  }

  private var files: [Place: File] = [:]

  var isEmpty: Bool { files.isEmpty }

  /// The file of a value.
  subscript(place: Place) -> File? { files[place] }

  /// Notes a file that the text names.
  mutating func note(_ file: File, at place: Place) { files[place] = file }

  /// The files, by the values that they hold.
  var all: [Place: File] { files }

  /// The names of the files.
  var names: Set<String> { Set(files.values.map(\.name)) }
}

/// Writes the large values of a state into files.
struct ExternalWriter {
  let files: ExternalData
  /// Values of more bytes go into files.
  let largestInlineCount: Int

  /// The files of a state that follows another one; those of new values are made.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - old: The state that is stored.
  ///   - oldValues: Which of its values lie in files.
  /// - Returns: Which values lie in which files, all of which are on the disk.
  /// - Throws: Why a file could not be written; then none is left.
  func values(
    of state: InMemoryState,
    after old: InMemoryState,
    _ oldValues: ExternalValues
  ) throws(FileFailure) -> ExternalValues {
    var values = ExternalValues()
    var written: [String] = []
    do throws(FileFailure) {
      for entity in JSONFormat.entities(of: state) {
        let slots = entity.slots.indices.filter { entity.slots[$0].liesInFiles }
        guard !slots.isEmpty else { continue }
        for row in state.rows(ofConcrete: entity.index) {
          let before = old.tables[entity.root][row.key]
          for slot in slots {
            let place = ExternalValues.Place(root: entity.root, key: row.key, slot: slot)
            let kept = before.flatMap {
              Self.isSame($0, row, slot, entity) ? oldValues[place] : nil
            }
            if let kept {
              values.note(kept, at: place)
            } else if let new = try write(row, slot) {
              values.note(new, at: place)
              written.append(new.name)
            }
          }
        }
      }
      if !written.isEmpty { try files.synchronise() }
      return values
    } catch {
      files.remove(written)
      throw error
    }
  }

  /// - Returns: The file; `nil` when the value is small.
  private func write(
    _ row: PageRow,
    _ slot: Int
  ) throws(FileFailure) -> ExternalValues.File? {
    // Safe because the row keeps its page until the end of the call.
    defer { withExtendedLifetime(row) {} }
    let bytes = PackedRow.bytes(row.pointer, slot)
    guard bytes.count > largestInlineCount else { return nil }
    var checksum = CRC64()
    checksum.update(bytes)
    let name = try files.write(bytes)
    return ExternalValues.File(name: name, checksum: checksum.value)
  }

  private static func isSame(
    _ old: PageRow,
    _ new: PageRow,
    _ slot: Int,
    _ entity: EntityLayout
  ) -> Bool {
    old.entity == new.entity
      && (old.version == new.version
        || SlotKeyHash.areSame(old.pointer, new.pointer, slot, entity))
  }
}

extension SlotLayout {
  /// Whether large values may lie in files of their own.
  var liesInFiles: Bool {
    storage == .bytes && !isTransient && attribute?.allowsExternalBinaryDataStorage == true
  }
}
