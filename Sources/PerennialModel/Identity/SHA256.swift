// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if canImport(CryptoKit)
import CryptoKit
import Foundation
#endif

/// The SHA-256 hash (FIPS 180-4), for version hashes; not for secrets.
///
/// Apple's systems have it in CryptoKit; elsewhere it is computed here.
package struct SHA256 {
  private var message: [UInt8] = []

  package init() {}

  /// Appends bytes to the message.
  package mutating func update(_ bytes: some Sequence<UInt8>) { message.append(contentsOf: bytes) }

  /// The hash of the message so far: 32 bytes.
  package func finalize() -> [UInt8] {
    #if canImport(CryptoKit)
    Array(CryptoKit.SHA256.hash(data: message))
    #else
    computed
    #endif
  }

  /// The hash of the message, computed here.
  package var computed: [UInt8] {
    var state = Self.initial
    var schedule = [UInt32](repeating: 0, count: 64)
    let padded = message.paddedForSHA2(blockSize: 64)
    for start in stride(from: 0, to: padded.count, by: 64) {
      schedule.readBigEndian(16, from: padded, at: start)
      Self.compress(&schedule, into: &state)
    }
    return state.bigEndianBytes
  }

  /// The hash of bytes.
  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finalize()
  }

  /// Hashes one block, whose 16 words are the first of the schedule.
  private static func compress(_ w: inout [UInt32], into state: inout [UInt32]) {
    for i in 16..<64 {
      let s0 = w[i - 15].rotated(7) ^ w[i - 15].rotated(18) ^ (w[i - 15] &>> 3)
      let s1 = w[i - 2].rotated(17) ^ w[i - 2].rotated(19) ^ (w[i - 2] &>> 10)
      w[i] = w[i - 16] &+ s0 &+ w[i - 7] &+ s1
    }
    let constants = constants
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for i in 0..<64 {
      let s1 = e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)
      let first = h &+ s1 &+ ((e & f) ^ (~e & g)) &+ constants[i] &+ w[i]
      let s0 = a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)
      let second = s0 &+ ((a & b) ^ (a & c) ^ (b & c))
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ second)
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
    state[4] &+= e
    state[5] &+= f
    state[6] &+= g
    state[7] &+= h
  }

  private static let initial: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]

  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5,
    0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
    0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc,
    0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
    0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3,
    0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5,
    0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
    0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}

extension FixedWidthInteger where Self: UnsignedInteger {
  /// The value with its bits rotated to the right, by at least one and less than all.
  @inline(__always)
  func rotated(_ count: Self) -> Self {
    (self &>> count) | (self &<< (Self(truncatingIfNeeded: Self.bitWidth) &- count))
  }
}

extension Array where Element: FixedWidthInteger & UnsignedInteger {
  /// Replaces the first words by those of bytes, the most significant byte of each first.
  @inline(__always)
  mutating func readBigEndian(_ wordCount: Int, from bytes: [UInt8], at start: Int) {
    var place = start
    for word in 0..<wordCount {
      var value: Element = 0
      for _ in 0..<Element.bitWidth / 8 {
        value = value &<< 8 | Element(truncatingIfNeeded: bytes[place])
        place += 1
      }
      self[word] = value
    }
  }

  /// The bytes of the words, the most significant one of each first.
  @inline(__always)
  var bigEndianBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * Element.bitWidth / 8)
    for word in self {
      for shift in stride(from: Element.bitWidth - 8, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> Element(shift)))
      }
    }
    return bytes
  }
}

extension [UInt8] {
  /// The message with the padding and the length in bits that SHA-2 wants.
  func paddedForSHA2(blockSize: Int) -> [UInt8] {
    let lengthSize = blockSize / 8
    let rest = (count + 1 + lengthSize) % blockSize
    let zeros = (rest == 0 ? 0 : blockSize - rest) + lengthSize - 8
    var padded: [UInt8] = []
    padded.reserveCapacity(count + 1 + zeros + 8)
    padded.append(contentsOf: self)
    padded.append(0x80)
    padded += [UInt8](repeating: 0, count: zeros)
    let bitCount = UInt64(count) * 8
    for shift in stride(from: 56, through: 0, by: -8) {
      padded.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
    }
    return padded
  }
}
