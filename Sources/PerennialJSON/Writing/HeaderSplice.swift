// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialStore

/// Writes a store's text again with other metadata, the objects byte for byte as they are.
///
/// A store begins a line with each member of its text, and with no other: so a line says where it is. A text that
/// was edited by hand is not written.
///
/// Safe because the caller keeps the bytes as long as this value.
struct HeaderSplice {
  private static let metadata = Array("\n\"metadata\":".utf8)
  private static let entities = Array("\n\"entities\":".utf8)

  private let bytes: UnsafeRawBufferPointer
  /// Where what is kept before the metadata ends.
  private let start: Int
  /// Where what is kept after them begins, and where the checksum's line does.
  private let rest: Range<Int>

  /// - Parameter bytes: The text; `nil` when no store has written it so.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard (try? JSONEnvelope(bytes).check()) == true,
      let metadata = Self.place(of: Self.metadata, in: bytes, from: 0),
      let entities = Self.place(of: Self.entities, in: bytes, from: metadata),
      let end = Self.lastPlace(of: JSONFormat.beforeChecksum, in: bytes), end > entities
    else { return nil }
    self.bytes = bytes
    start = metadata + Self.metadata.count
    rest = entities..<end
  }

  func write(_ header: StoreHeader, to output: inout JSONOutput) throws(FileFailure) {
    output.write(raw: UnsafeRawBufferPointer(rebasing: bytes[..<start]))
    StateWriter.write(metadata: header.metadata, to: &output)
    output.write(UInt8(ascii: ","))
    output.write(raw: UnsafeRawBufferPointer(rebasing: bytes[rest]))
    try output.finish()
  }

  private static func place(
    of line: [UInt8],
    in bytes: UnsafeRawBufferPointer,
    from start: Int
  ) -> Int? {
    stride(from: start, through: bytes.count - line.count, by: 1).first {
      isThere(line, $0, in: bytes)
    }
  }

  private static func lastPlace(of line: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? {
    stride(from: bytes.count - line.count, through: 0, by: -1).first {
      isThere(line, $0, in: bytes)
    }
  }

  private static func isThere(
    _ line: [UInt8],
    _ start: Int,
    in bytes: UnsafeRawBufferPointer
  ) -> Bool {
    bytes[start] == line[0] && bytes[start..<start + line.count].elementsEqual(line)
  }
}
