// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialStore

/// Gathers the text of a file and gives it on piece by piece, with its checksum.
///
/// Safe because the block is this value's own, and every write makes room first.
struct JSONOutput: ~Copyable {
  /// How many bytes are given to the file at once.
  private static let pieceByteCount = 1 << 20

  private let file: any OpenFile
  private var block: UnsafeMutableRawPointer
  private var capacity = 1 << 16
  private var used = 0
  private var checksum = CRC64()

  init(_ file: any OpenFile) {
    self.file = file
    block = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { block.deallocate() }

  // MARK: The file

  /// Gives what has been gathered to the file, if it is much.
  mutating func flushIfLarge() throws(FileFailure) {
    if used >= Self.pieceByteCount { try flush() }
  }

  /// Ends the file: the checksum of all that has been written, and what follows it.
  mutating func finish() throws(FileFailure) {
    write(JSONFormat.beforeChecksum)
    checksum.update(UnsafeRawBufferPointer(start: block, count: used))
    let value = checksum.value
    try give()
    write(UInt8(ascii: "\""))
    write(value.hexadecimal)
    write(UInt8(ascii: "\""))
    write(JSONFormat.end)
    try give()
  }

  private mutating func flush() throws(FileFailure) {
    checksum.update(UnsafeRawBufferPointer(start: block, count: used))
    try give()
  }

  private mutating func give() throws(FileFailure) {
    try file.write(UnsafeRawBufferPointer(start: block, count: used))
    used = 0
  }

  // MARK: Bytes

  /// Makes room.
  ///
  /// - Returns: Where so many bytes may be written.
  private mutating func room(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    if used + count > capacity {
      let larger = max(capacity * 2, used + count)
      let next = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
      next.copyMemory(from: block, byteCount: used)
      block.deallocate()
      block = next
      capacity = larger
    }
    return (block + used).assumingMemoryBound(to: UInt8.self)
  }

  mutating func write(_ byte: UInt8) {
    room(1).pointee = byte
    used += 1
  }

  mutating func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { write(raw: $0) }
  }

  mutating func write(_ text: StaticString) {
    write(raw: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func write(raw bytes: UnsafeRawBufferPointer) {
    let target = UnsafeMutableRawBufferPointer(start: room(bytes.count), count: bytes.count)
    target.copyMemory(from: bytes)
    used += bytes.count
  }

  // MARK: Values

  mutating func write(_ number: Int64) {
    var digits = number.magnitude
    let target = room(20)
    var count = number < 0 ? 1 : 0
    if number < 0 { target[0] = UInt8(ascii: "-") }
    var power = digits
    repeat {
      count += 1
      power /= 10
    } while power > 0
    var index = count
    repeat {
      index -= 1
      target[index] = 0x30 + UInt8(digits % 10)
      digits /= 10
    } while digits > 0
    used += count
  }

  /// The shortest text that reads back to the same number; a text in quotes for what is none.
  mutating func write(_ number: Double) {
    if number.isFinite {
      var text = number.description
      text.withUTF8 { write(raw: UnsafeRawBufferPointer($0)) }
    } else if number.isNaN {
      write("\"NaN\"")
    } else {
      write(number < 0 ? "\"-Infinity\"" : "\"Infinity\"")
    }
  }

  mutating func write(quoted text: String) {
    var text = text
    text.withUTF8 { write(quoted: UnsafeRawBufferPointer($0)) }
  }

  /// A text in quotes; bytes that are not UTF-8 become U+FFFD, as they do for whoever reads them.
  mutating func write(quoted bytes: UnsafeRawBufferPointer) {
    let target = room(bytes.count * 6 + 2)
    var count = 1
    var isASCII = true
    target[0] = Self.quote
    for byte in bytes {
      if byte >= 0x20, byte != Self.quote, byte != Self.backslash {
        target[count] = byte
        count += 1
        if byte >= 0x80 { isASCII = false }
      } else {
        count += Self.escape(byte, to: target + count)
      }
    }
    target[count] = Self.quote
    if !isASCII, String(validating: bytes, as: UTF8.self) == nil {
      return write(quoted: String(decoding: bytes, as: UTF8.self))
    }
    used += count + 1
  }

  mutating func write(base64 bytes: UnsafeRawBufferPointer) {
    let count = Base64.encodedCount(bytes.count)
    let target = room(count + 2)
    target[0] = Self.quote
    Base64.encode(bytes, to: target + 1)
    target[count + 1] = Self.quote
    used += count + 2
  }

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")

  /// - Returns: How many bytes it is.
  private static func escape(_ byte: UInt8, to target: UnsafeMutablePointer<UInt8>) -> Int {
    let letter: UInt8? =
      switch byte {
      case quote, backslash: byte
      case 0x08: UInt8(ascii: "b")
      case 0x09: UInt8(ascii: "t")
      case 0x0A: UInt8(ascii: "n")
      case 0x0C: UInt8(ascii: "f")
      case 0x0D: UInt8(ascii: "r")
      default: nil
      }
    target[0] = backslash
    guard let letter else {
      target[1] = UInt8(ascii: "u")
      target[2] = 0x30
      target[3] = 0x30
      target[4] = Base16.digits[Int(byte >> 4)]
      target[5] = Base16.digits[Int(byte & 15)]
      return 6
    }
    target[1] = letter
    return 2
  }
}
