// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The values of a statement's parameters in binary form, one after the other in memory that is used again.
///
/// Safe because what lies in the buffer is written before it is read, and it lives as long as the value.
final class RawParameters {
  private var bytes: UnsafeMutableRawPointer
  private var capacity: Int
  private var used = 0
  private var starts: [Int] = []
  private var lengths: [Int32] = []
  private var formats: [Int32] = []
  private var values: [UnsafePointer<CChar>?] = []

  init(byteCount: Int = 1 << 16) {
    capacity = byteCount
    bytes = .allocate(byteCount: byteCount, alignment: 8)
  }

  deinit { bytes.deallocate() }

  func removeAll() {
    used = 0
    starts.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    formats.removeAll(keepingCapacity: true)
  }

  func append(_ value: Int64) {
    begin()
    put(value)
    end()
  }

  func append(_ value: Double) { append(Int64(bitPattern: value.bitPattern)) }

  func append(_ value: String) {
    begin()
    put(value)
    end()
  }

  /// Appends an array, whose elements have the type of this number.
  private func append<Element>(
    _ elements: some Collection<Element>,
    ofType type: Int32,
    _ put: (Element) -> Void
  ) {
    begin()
    for word in [1, 0, type, Int32(elements.count), 1] { self.put(word) }
    for element in elements { put(element) }
    end()
  }

  func append(_ elements: some Collection<Int64>) {
    append(elements, ofType: 20) {
      put(Int32(8))
      put($0)
    }
  }

  func append(_ elements: some Collection<String>) {
    append(elements, ofType: 25) {
      put(Int32($0.utf8.count))
      put($0)
    }
  }

  /// Calls a closure with the parameters as libpq wants them.
  func withPointers<Result>(
    _ body: (
      UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
    ) -> Result
  ) -> Result {
    values.removeAll(keepingCapacity: true)
    for start in starts {
      values.append(UnsafePointer((bytes + start).assumingMemoryBound(to: CChar.self)))
    }
    return body(values, lengths, formats, Int32(values.count))
  }

  private func begin() { starts.append(used) }

  private func end() {
    lengths.append(Int32(used - (starts.last ?? 0)))
    formats.append(1)
  }

  @inline(__always)
  private func put(_ value: some FixedWidthInteger) {
    let count = value.bitWidth / 8
    reserve(count)
    (bytes + used).storeBytes(of: value.bigEndian, as: type(of: value))
    used += count
  }

  @inline(__always)
  private func put(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      reserve(utf8.count)
      if let start = utf8.baseAddress {
        (bytes + used).copyMemory(from: start, byteCount: utf8.count)
      }
      used += utf8.count
    }
  }

  @inline(__always)
  private func reserve(_ count: Int) {
    guard used + count > capacity else { return }
    let larger = max(capacity * 2, used + count)
    let next = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
    next.copyMemory(from: bytes, byteCount: used)
    bytes.deallocate()
    bytes = next
    capacity = larger
  }
}
