// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Brings the identities of a result that has no order of its own into that of their keys.
///
/// A store answers from the index that is smallest, and so in an order that has nothing to do with where
/// rows, and what a context knows of them, lie: a million faults in it take twice as long as in the order of keys,
/// and each of their batches is read from all over the file. A bit for each key takes little time and less memory.
struct KeyOrder {
  /// How many words there may be for each key: where keys are further apart, bits are no use.
  private static let wordsPerKey = 32

  /// A bit for each key, from 0.
  private var words: [UInt64] = []
  private var count = 0
  private var entity = 0

  /// Takes identities, if their entity is that of the others and their keys are dense enough.
  ///
  /// - Parameter piece: Identities that are not there yet.
  /// - Returns: Whether they were taken: all of them, or none.
  mutating func take(_ piece: ArraySlice<ObjectReference>) -> Bool {
    guard let first = piece.first else { return true }
    if count == 0 { entity = first.entity }
    var greatest: Int64 = 0
    for reference in piece {
      guard reference.entity == entity, reference.key >= 0 else { return false }
      greatest = max(greatest, reference.key)
    }
    let wordCount = Int(greatest >> 6) + 1
    guard wordCount <= (count + piece.count) * Self.wordsPerKey else { return false }
    if wordCount > words.count {
      words.append(contentsOf: repeatElement(0, count: wordCount - words.count))
    }
    for reference in piece { words[Int(reference.key >> 6)] |= 1 << UInt64(reference.key & 63) }
    count += piece.count
    return true
  }

  /// Brings identities into the order of their keys, if these are dense enough.
  static func sort(_ references: inout [ObjectReference]) {
    var order = KeyOrder()
    guard order.take(references[...]) else { return }
    references.removeAll(keepingCapacity: true)
    order.visit(inPiecesOf: 1_024) { references += $0 }
  }

  /// Gives the identities that were taken, by rising keys, piece by piece.
  func visit(inPiecesOf pieceCount: Int, _ body: (ArraySlice<ObjectReference>) -> Void) {
    var piece: [ObjectReference] = []
    for (number, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        let key = Int64(number << 6 | rest.trailingZeroBitCount)
        piece.append(ObjectReference(key: key, entity: entity))
        rest &= rest - 1
        if piece.count < pieceCount { continue }
        body(piece[...])
        piece.removeAll(keepingCapacity: true)
      }
    }
    if !piece.isEmpty { body(piece[...]) }
  }
}
