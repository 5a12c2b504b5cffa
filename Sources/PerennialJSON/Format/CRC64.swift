// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialStore

/// The checksum at the end of a file: CRC-64 with the polynomial of ECMA-182, reflected (CRC-64/XZ).
///
/// It finds every change of up to 64 neighbouring bits, so every flipped bit.
struct CRC64 {
  private var remainder: UInt64 = .max

  /// The checksum of what has been taken in.
  var value: UInt64 { ~remainder }

  /// Takes in bytes, eight at a time.
  ///
  /// Safe because the tables have 8 × 256 entries, and an index is a table's number and a byte.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var crc = remainder
    var index = 0
    Self.tables.withUnsafeBufferPointer { tables in
      while index + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let mixed = crc ^ UInt64(littleEndian: word)
        crc =
          tables[7 << 8 | Int(mixed & 0xFF)] ^ tables[6 << 8 | Int(mixed >> 8 & 0xFF)]
          ^ tables[5 << 8 | Int(mixed >> 16 & 0xFF)] ^ tables[4 << 8 | Int(mixed >> 24 & 0xFF)]
          ^ tables[3 << 8 | Int(mixed >> 32 & 0xFF)] ^ tables[2 << 8 | Int(mixed >> 40 & 0xFF)]
          ^ tables[1 << 8 | Int(mixed >> 48 & 0xFF)] ^ tables[Int(mixed >> 56)]
        index += 8
      }
      while index < bytes.count {
        crc = crc >> 8 ^ tables[Int((crc ^ UInt64(bytes[index])) & 0xFF)]
        index += 1
      }
    }
    remainder = crc
  }

  /// What a byte does to the remainder, and what it does so many bytes later.
  private static let tables: [UInt64] = {
    var tables = [UInt64](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var crc = UInt64(byte)
      for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xC96C_5795_D787_0F42 }
      tables[byte] = crc
    }
    for place in 256..<8 * 256 {
      let before = tables[place - 256]
      tables[place] = before >> 8 ^ tables[Int(before & 0xFF)]
    }
    return tables
  }()
}

extension FileContents {
  var checksum: UInt64 {
    var checksum = CRC64()
    withBytes { checksum.update($0) }
    return checksum.value
  }
}

extension UInt64 {
  /// Sixteen hexadecimal digits, lower case.
  var hexadecimal: [UInt8] {
    stride(from: 60, through: 0, by: -4).map { Base16.digits[Int(self >> UInt64($0) & 15)] }
  }
}

/// The digits of numbers to the base 16.
enum Base16 {
  static let digits = Array("0123456789abcdef".utf8)

  /// The value of a digit of either case.
  static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x61...0x66: digit - 0x61 + 10
    case 0x41...0x46: digit - 0x41 + 10
    default: nil
    }
  }
}
