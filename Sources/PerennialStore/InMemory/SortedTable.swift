// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Values in the order of their keys: a value, of which a copy costs little.
///
/// The order makes new keys, which are the highest, cheap to add, and neighbours cheap to find. A copy
/// shares the chunks; a change copies the one that it falls into.
///
/// Invariants:
/// 1. Keys rise, in a chunk and from chunk to chunk.
/// 2. A chunk has between one and `chunkCapacity` values, and as many keys.
package struct SortedTable<Key: Comparable & Sendable, Value: Sendable>: Sendable {
  /// Neighbours, and their keys apart from them, so that a search reads no values.
  private struct Chunk {
    var keys: [Key]
    var values: [Value]
  }

  /// Where a key is, or would be.
  private struct Place {
    var chunk: Int
    var index: Int
    var isTaken: Bool
  }

  private var chunks: [Chunk] = []

  package init() {}

  /// A table of keys that rise, and their values.
  init(rising entries: some Sequence<(key: Key, value: Value)>) {
    for entry in entries { append(entry.value, entry.key) }
  }

  var isEmpty: Bool { chunks.isEmpty }

  /// The value of a key; `nil` takes it out.
  package subscript(key: Key) -> Value? {
    get {
      let place = place(of: key)
      return place.isTaken ? chunks[place.chunk].values[place.index] : nil
    }
    set {
      let place = place(of: key)
      switch (newValue, place.isTaken) {
      case (let value?, true): chunks[place.chunk].values[place.index] = value
      case (let value?, false): insert(value, key, at: place)
      case (nil, true): remove(at: place)
      case (nil, false): break
      }
    }
  }

  /// Whether there is a key.
  package func contains(_ key: Key) -> Bool { place(of: key).isTaken }

  /// Calls a closure with every value, by key.
  package func visit(_ body: (Key, Value) -> Void) {
    for chunk in chunks {
      for index in chunk.keys.indices { body(chunk.keys[index], chunk.values[index]) }
    }
  }

  /// Calls a closure with the values from a key on, as long as it wants more.
  package func visit(from key: Key, _ wantsMore: (Key, Value) -> Bool) {
    var place = place(of: key)
    while place.chunk < chunks.count {
      let chunk = chunks[place.chunk]
      for index in place.index..<chunk.keys.count
      where !wantsMore(chunk.keys[index], chunk.values[index]) {
        return
      }
      place = Place(chunk: place.chunk + 1, index: 0, isTaken: false)
    }
  }

  // MARK: Searching

  private func place(of key: Key) -> Place {
    // The last chunk that begins no later than the key; new keys lie in or behind the last.
    let following = chunks.firstIndex(ofRising: { $0.keys[0] > key })
    let chunk = max(following - 1, 0)
    guard chunk < chunks.count else { return Place(chunk: 0, index: 0, isTaken: false) }
    let keys = chunks[chunk].keys
    let index = keys.firstIndex(ofRising: { $0 >= key })
    return Place(chunk: chunk, index: index, isTaken: index < keys.count && keys[index] == key)
  }

  // MARK: Changing

  private mutating func append(_ value: Value, _ key: Key) {
    if let last = chunks.indices.last, chunks[last].keys.count < Self.chunkCapacity {
      chunks[last].keys.append(key)
      chunks[last].values.append(value)
    } else {
      chunks.append(Chunk(keys: [key], values: [value]))
    }
  }

  private mutating func insert(_ value: Value, _ key: Key, at place: Place) {
    let isBehindAll =
      chunks.isEmpty
      || place.chunk == chunks.count - 1 && place.index == chunks[place.chunk].keys.count
    if isBehindAll { return append(value, key) }
    if chunks[place.chunk].keys.count == Self.chunkCapacity {
      split(place.chunk)
      self[key] = value
    } else {
      chunks[place.chunk].keys.insert(key, at: place.index)
      chunks[place.chunk].values.insert(value, at: place.index)
    }
  }

  private mutating func split(_ chunk: Int) {
    let half = chunks[chunk].keys.count / 2
    let rest = Chunk(
      keys: Array(chunks[chunk].keys[half...]),
      values: Array(chunks[chunk].values[half...])
    )
    chunks[chunk].keys.removeSubrange(half...)
    chunks[chunk].values.removeSubrange(half...)
    chunks.insert(rest, at: chunk + 1)
  }

  private mutating func remove(at place: Place) {
    chunks[place.chunk].keys.remove(at: place.index)
    chunks[place.chunk].values.remove(at: place.index)
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
    chunks[chunk].values += chunks[next].values
    chunks.remove(at: next)
  }
}

extension SortedTable {
  static var chunkCapacity: Int { 256 }
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
