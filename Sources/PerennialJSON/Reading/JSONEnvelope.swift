// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What is looked at before a text is read: whether all of it is there, and as it was written.
///
/// Safe because whoever makes one keeps the bytes, and every place is compared with their count.
struct JSONEnvelope {
  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Checks the beginning, the end and the checksum.
  ///
  /// - Returns: Whether a store has written the bytes: not somebody by hand.
  /// - Throws: What is wrong: every cut and every flipped bit of a file that was written is.
  func check() throws(JSONFault) -> Bool {
    try checkBeginning()
    let end = JSONFormat.end.count
    let quoted = 18
    let start = bytes.count - end - quoted
    if start >= JSONFormat.beforeChecksum.count, has(JSONFormat.end, at: start + quoted),
      bytes[start] == UInt8(ascii: "\""), bytes[start + quoted - 1] == UInt8(ascii: "\""),
      has(JSONFormat.beforeChecksum, at: start - JSONFormat.beforeChecksum.count)
    {
      try checkSum(start)
      return true
    }
    if !isEditedByHand { throw fault("it is damaged: its end is missing") }
    return false
  }

  private func checkSum(_ start: Int) throws(JSONFault) {
    var checksum = CRC64()
    checksum.update(UnsafeRawBufferPointer(rebasing: bytes[..<start]))
    if !has(checksum.value.hexadecimal, at: start + 1) {
      throw fault(
        "it is damaged: its checksum is wrong",
        recovery:
          "restore it from a copy, or, if you have edited it, write null in place of the checksum"
      )
    }
  }

  /// What is wrong with the end, which another version of the format may have otherwise.
  private func fault(_ message: String, recovery: String? = nil) -> JSONFault {
    var scanner = JSONScanner(bytes)
    if Self.isOurs(&scanner), scanner.skip(UInt8(ascii: ",")),
      scanner.skip(name: Array(JSONFormat.formatVersion.utf8)),
      let version = try? scanner.integer(), version != JSONFormat.version
    {
      return .otherVersion(version, mayBeDamaged: true)
    }
    return JSONFault(message, recovery: recovery)
  }

  /// Whether `null` stands in the place of the checksum, whatever white space follows it.
  private var isEditedByHand: Bool {
    var rest = bytes.count
    func skipSpace() { while rest > 0, bytes[rest - 1] <= 0x20 { rest -= 1 } }
    skipSpace()
    guard rest > 0, bytes[rest - 1] == UInt8(ascii: "}") else { return false }
    rest -= 1
    skipSpace()
    let null = rest - JSONFormat.noChecksum.count
    guard null > 0, has(JSONFormat.noChecksum, at: null) else { return false }
    rest = null
    skipSpace()
    let start = rest - JSONFormat.beforeChecksum.count
    return start > 0 && has(JSONFormat.beforeChecksum, at: start)
  }

  private func checkBeginning() throws(JSONFault) {
    if has(Array("SQLite format 3\0".utf8), at: 0) {
      throw JSONFault(
        "it is a SQLite file",
        recovery: "open it with '.sqlite(url)'; the file has been left as it is"
      )
    }
    var scanner = JSONScanner(bytes)
    guard let first = scanner.peek() else { throw JSONFault("it is damaged: it is empty") }
    guard [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first) else {
      throw JSONFault(
        "it is no JSON file",
        recovery: "check the URL; the file has been left as it is"
      )
    }
    guard Self.isOurs(&scanner) else {
      throw JSONFault(
        "it is a JSON file of another program, or damaged at its beginning",
        recovery: "check the URL; the file has been left as it is"
      )
    }
  }

  private static func isOurs(_ scanner: inout JSONScanner) -> Bool {
    guard scanner.skip(UInt8(ascii: "{")), scanner.skip(name: Array(JSONFormat.format.utf8)),
      let name = try? scanner.string()
    else { return false }
    return name == JSONFormat.name
  }

  private func has(_ text: [UInt8], at start: Int) -> Bool {
    start >= 0 && start + text.count <= bytes.count
      && bytes[start..<start + text.count].elementsEqual(text)
  }
}
