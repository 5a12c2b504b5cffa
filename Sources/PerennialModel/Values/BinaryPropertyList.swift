// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation

/// The objects of a binary property list (`bplist00`), as they lie in the file: an object names others by
/// their numbers, so that nothing is read twice and no depth or cycle matters.
///
/// For keyed archives Foundation's reader is not used, as their UIDs have no public type, and these files may
/// be damaged. For the metadata of stores it is slow: opening one would mostly be waiting for it.
///
/// No more is kept than the file is long: references and texts that overlap to be more are refused.
package struct BinaryPropertyList: Sendable {
  /// One object.
  package enum Node: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since 2001.
    case date(Double)
    case data(Data)
    case string(String)
    /// The number of an object of a keyed archive.
    case identifier(Int)
    /// The numbers of nodes.
    case array([Int])
    /// The numbers of keys and values.
    case dictionary([(key: Int, value: Int)])
  }

  /// What is wrong with a file.
  package struct Failure: Error {
    package let reason: String

    package init(reason: String) { self.reason = reason }
  }

  package let nodes: [Node]
  /// The number of the outermost node.
  package let top: Int

  /// Reads a list.
  ///
  /// - Throws: What is wrong with the bytes.
  package init(_ data: Data) throws(Failure) {
    var reader = Reader(Array(data))
    nodes = try reader.nodes()
    top = reader.top
    guard nodes.indices.contains(top) else { throw Failure(reason: "it has no outermost object") }
  }
}

extension BinaryPropertyList {
  private struct Reader {
    private let bytes: [UInt8]
    private(set) var top = 0
    private var referenceSize = 0
    /// Where the objects end.
    private var end = 0
    /// How many bytes of references and values may still be kept.
    private var rest: Int

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      rest = bytes.count
    }

    mutating func nodes() throws(Failure) -> [Node] {
      guard bytes.count >= 40, bytes.starts(with: Array("bplist0".utf8)) else {
        throw Failure(reason: "it is no binary property list")
      }
      let trailer = bytes.count - 32
      let offsetSize = Int(bytes[trailer + 6])
      referenceSize = Int(bytes[trailer + 7])
      let count = try integer(at: trailer + 8, size: 8)
      top = try integer(at: trailer + 16, size: 8)
      let table = try integer(at: trailer + 24, size: 8)
      guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), table < trailer,
        count <= (trailer - table) / offsetSize, count * offsetSize == trailer - table,
        Self.canHold(count, referenceSize), Self.canHold(table, offsetSize)
      else { throw Failure(reason: "its table of objects is damaged") }
      end = table
      var nodes: [Node] = []
      nodes.reserveCapacity(count)
      for number in 0..<count {
        let offset = try integer(at: table + number * offsetSize, size: offsetSize)
        nodes.append(try node(at: offset, count: count))
      }
      return nodes
    }

    /// Whether so many bytes can number more than so many things.
    private static func canHold(_ count: Int, _ size: Int) -> Bool {
      size == 8 || count < 1 << (8 * size)
    }

    /// An unsigned integer, the most significant byte first.
    private func integer(at place: Int, size: Int) throws(Failure) -> Int {
      guard place >= 0, size <= bytes.count - place else {
        throw Failure(reason: "it ends too early")
      }
      var value: UInt64 = 0
      for byte in bytes[place..<place + size] { value = value << 8 | UInt64(byte) }
      guard let value = Int(exactly: value) else { throw Failure(reason: "a number is too large") }
      return value
    }

    private mutating func node(at offset: Int, count: Int) throws(Failure) -> Node {
      guard offset >= 8, offset < end else { throw Failure(reason: "an object lies outside") }
      let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 0xF))
      switch kind {
      case 0x0: return low == 8 || low == 9 ? .boolean(low == 9) : .null
      case 0x1: return .integer(try signed(at: offset + 1, size: 1 << low))
      case 0x2: return .real(try real(at: offset + 1, size: 1 << low))
      case 0x3 where low == 3: return .date(try real(at: offset + 1, size: 8))
      case 0x4:
        let range = try range(at: offset, low, width: 1)
        return .data(Data(bytes[range]))
      case 0x5:
        let range = try range(at: offset, low, width: 1)
        return .string(String(decoding: bytes[range], as: UTF8.self))
      case 0x6:
        let range = try range(at: offset, low, width: 2)
        let units = stride(from: range.lowerBound, to: range.upperBound, by: 2)
          .map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return .string(String(decoding: units, as: UTF16.self))
      case 0x8 where low + 1 < end - offset:
        return .identifier(try integer(at: offset + 1, size: low + 1))
      case 0xA:
        return .array(try references(range(at: offset, low, width: referenceSize), count))
      case 0xD:
        let all = try references(range(at: offset, low, width: 2 * referenceSize), count)
        let half = all.count / 2
        return .dictionary((0..<half).map { (all[$0], all[half + $0]) })
      default: throw Failure(reason: "an object is of an unknown kind")
      }
    }

    /// The bytes after a marker and its count.
    private mutating func range(
      at offset: Int,
      _ low: Int,
      width: Int
    ) throws(Failure) -> Range<Int> {
      var start = offset + 1
      var count = low
      if low == 0xF {
        guard start < end, bytes[start] >> 4 == 1, bytes[start] & 0xF <= 3 else {
          throw Failure(reason: "the size of an object is damaged")
        }
        let size = 1 << Int(bytes[start] & 0xF)
        count = try integer(at: start + 1, size: size)
        start += 1 + size
      }
      guard start <= end, count <= (end - start) / width else {
        throw Failure(reason: "an object ends outside")
      }
      rest -= count * width
      guard rest >= 0 else { throw Failure(reason: "its objects overlap") }
      return start..<start + count * width
    }

    private func references(_ range: Range<Int>, _ count: Int) throws(Failure) -> [Int] {
      var numbers: [Int] = []
      numbers.reserveCapacity(range.count / referenceSize)
      for place in stride(from: range.lowerBound, to: range.upperBound, by: referenceSize) {
        let number = try integer(at: place, size: referenceSize)
        guard number < count else { throw Failure(reason: "an object is named that is not there") }
        numbers.append(number)
      }
      return numbers
    }

    /// Integers of 8 bytes are signed, smaller ones are not; of 16 bytes the lower half counts.
    private func signed(at place: Int, size: Int) throws(Failure) -> Int64 {
      guard size <= 16, size <= end - place else { throw Failure(reason: "it ends too early") }
      var value: UInt64 = 0
      for byte in bytes[place..<place + size] { value = value << 8 | UInt64(byte) }
      return Int64(bitPattern: value)
    }

    private func real(at place: Int, size: Int) throws(Failure) -> Double {
      guard size == 4 || size == 8 else { throw Failure(reason: "a number is damaged") }
      let bits = UInt64(bitPattern: try signed(at: place, size: size))
      return size == 8
        ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    }
  }
}
