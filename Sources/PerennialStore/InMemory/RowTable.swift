// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The rows of a root entity and its subentities in the order of their keys: a value.
///
/// The order makes a scan walk through memory as the rows were written, and new keys, which are the
/// highest, cheap to add. A copy shares the chunks; a change copies the one that it falls into.
///
/// Invariants:
/// 1. Keys rise, in a chunk and from chunk to chunk.
/// 2. A chunk has between one and `chunkCapacity` rows, and as many keys.
package struct RowTable: Sendable {
  /// Neighbours, and their keys apart from them, so that a search reads no rows.
  private struct Chunk {
    var keys: [Int64]
    var rows: [PageRow]
  }

  /// Where a key is, or would be.
  private struct Place {
    var chunk: Int
    var index: Int
    var isTaken: Bool
  }

  static let chunkCapacity = 256

  private var chunks: [Chunk] = []

  /// The row of a key; `nil` takes it out.
  package subscript(key: Int64) -> PageRow? {
    get {
      let place = place(of: key)
      return place.isTaken ? chunks[place.chunk].rows[place.index] : nil
    }
    set {
      let place = place(of: key)
      switch (newValue, place.isTaken) {
      case (let row?, true): chunks[place.chunk].rows[place.index] = row
      case (let row?, false): insert(row, key, at: place)
      case (nil, true): remove(at: place)
      case (nil, false): break
      }
    }
  }

  /// The rows that satisfy a condition, by key.
  package func filter(_ isIncluded: (PageRow) -> Bool) -> [PageRow] {
    var rows: [PageRow] = []
    for chunk in chunks {
      for row in chunk.rows where isIncluded(row) { rows.append(row) }
    }
    return rows
  }

  /// Calls a closure with every row, by key.
  func visit(_ body: (PageRow) -> Void) {
    for chunk in chunks { for row in chunk.rows { body(row) } }
  }

  // MARK: Searching

  private func place(of key: Int64) -> Place {
    // The last chunk that begins no later than the key; new keys lie in or behind the last.
    let following = chunks.firstIndex(ofRising: { $0.keys[0] > key })
    let chunk = max(following - 1, 0)
    guard chunk < chunks.count else { return Place(chunk: 0, index: 0, isTaken: false) }
    let keys = chunks[chunk].keys
    let index = keys.firstIndex(ofRising: { $0 >= key })
    return Place(chunk: chunk, index: index, isTaken: index < keys.count && keys[index] == key)
  }

  // MARK: Changing

  private mutating func insert(_ row: PageRow, _ key: Int64, at place: Place) {
    let isFull = !chunks.isEmpty && chunks[place.chunk].keys.count == Self.chunkCapacity
    let isBehindAll = place.chunk >= chunks.count - 1 && place.index == Self.chunkCapacity
    if chunks.isEmpty || isBehindAll {
      chunks.append(Chunk(keys: [key], rows: [row]))
    } else if isFull {
      split(place.chunk)
      self[key] = row
    } else {
      chunks[place.chunk].keys.insert(key, at: place.index)
      chunks[place.chunk].rows.insert(row, at: place.index)
    }
  }

  private mutating func split(_ chunk: Int) {
    let half = chunks[chunk].keys.count / 2
    let rest = Chunk(
      keys: Array(chunks[chunk].keys[half...]),
      rows: Array(chunks[chunk].rows[half...])
    )
    chunks[chunk].keys.removeSubrange(half...)
    chunks[chunk].rows.removeSubrange(half...)
    chunks.insert(rest, at: chunk + 1)
  }

  private mutating func remove(at place: Place) {
    chunks[place.chunk].keys.remove(at: place.index)
    chunks[place.chunk].rows.remove(at: place.index)
    if chunks[place.chunk].keys.isEmpty {
      chunks.remove(at: place.chunk)
    } else {
      joinNext(to: place.chunk)
    }
  }

  /// Joins two chunks that have become small, so that deletions do not leave many of them.
  private mutating func joinNext(to chunk: Int) {
    let next = chunk + 1
    guard next < chunks.count,
      chunks[chunk].keys.count + chunks[next].keys.count <= Self.chunkCapacity / 2
    else { return }
    chunks[chunk].keys += chunks[next].keys
    chunks[chunk].rows += chunks[next].rows
    chunks.remove(at: next)
  }
}

extension Array {
  /// The first index from which on a condition holds, by halving; the end when it never does.
  fileprivate func firstIndex(ofRising holds: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
