// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension String {
  /// The name in quotes, as SQL wants names that may hold anything.
  package var quotedForSQL: String { "\"" + escaping("\"", with: "\"") + "\"" }

  /// The name that is meant by a name as statements write it, in quotes or not.
  package var unquotedFromSQL: String {
    guard utf8.first == UInt8(ascii: "\"") else { return self }
    var name = String.UnicodeScalarView()
    var isEscape = false
    for scalar in unicodeScalars.dropFirst().dropLast() {
      isEscape = scalar == "\"" && !isEscape
      if !isEscape { name.append(scalar) }
    }
    return String(name)
  }

  /// The name as it is when SQL can read it so, else in quotes (SQLite: "The SQLite Tokenizer").
  ///
  /// For names of ours, which begin with a capital letter and are no words of SQL.
  package var asSQLName: String {
    let isPlain = utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
        true
      default: false
      }
    }
    return isPlain ? self : quotedForSQL
  }

  /// The name, or of one with too many bytes the beginning and a number that is made of all of it.
  package func shortened(to count: Int) -> String {
    guard utf8.count > count else { return self }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let tail = "_" + String(hash, radix: 36)
    var head = ""
    for character in self {
      guard head.utf8.count + character.utf8.count + tail.utf8.count <= count else { break }
      head.append(character)
    }
    return head + tail
  }
}
