// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The live objects of a root entity by key, not retained.
///
/// Keys are grouped by 64 into chunks, which a small hash directory with linear probing finds; the
/// last chunk is remembered. Dense keys cost 9 bytes each.
///
/// Invariants:
/// 1. Every entry is alive: an object removes itself when it dies.
/// 2. `used` counts directory entries with a chunk, empty ones included; it is at most two thirds of the size.
/// 3. A chunk without live objects holds nothing but `nil`: it can serve other keys as it is.
///
/// Safe because a map is touched in its context's isolation only and freed by it.
struct IdentityMap {
  typealias Reference = Unmanaged<ManagedObject>
  typealias Chunk = UnsafeMutablePointer<Reference?>

  /// A chunk and the number of its keys; the chunk's last word counts its objects.
  private struct Entry {
    var number: Int64 = 0
    var chunk: Chunk?
  }

  private var directory: UnsafeMutablePointer<Entry>
  private var mask: Int
  private var used = 0
  private var lastNumber: Int64 = .min
  private var last = 0
  private(set) var count = 0
  /// Empty chunks for the next keys.
  private var spare: [Chunk] = []

  init() {
    directory = .allocate(capacity: 16)
    directory.initialize(repeating: Entry(), count: 16)
    mask = 15
  }

  /// Frees the memory; the map must not be used afterwards.
  func free() {
    for index in 0...mask { directory[index].chunk?.deallocate() }
    for chunk in spare { chunk.deallocate() }
    directory.deallocate()
  }

  /// The object of a key.
  @inline(__always)
  mutating func find(_ key: Int64) -> Reference? {
    let number = key >> 6
    if number != lastNumber {
      let index = probe(number)
      guard directory[index].chunk != nil else { return nil }
      lastNumber = number
      last = index
    }
    return directory[last].chunk.unsafelyUnwrapped[Int(key & 63)]
  }

  /// Adds an object under a key that is free.
  @inline(__always)
  mutating func insert(_ key: Int64, _ object: ManagedObject) {
    let number = key >> 6
    if number != lastNumber { open(number) }
    let chunk = directory[last].chunk.unsafelyUnwrapped
    chunk[Int(key & 63)] = .passUnretained(object)
    Self.live(chunk).pointee += 1
    count += 1
  }

  /// Removes a key's object.
  @inline(__always)
  mutating func remove(_ key: Int64) {
    if find(key) != nil { clear(key) }
  }

  /// Removes an object that is there under a key; another one stays.
  @inline(__always)
  mutating func remove(_ key: Int64, _ object: ManagedObject) {
    if find(key)?.toOpaque() == Unmanaged.passUnretained(object).toOpaque() { clear(key) }
  }

  /// Empties the place of a key that has just been found.
  @inline(__always)
  private mutating func clear(_ key: Int64) {
    let chunk = directory[last].chunk.unsafelyUnwrapped
    chunk[Int(key & 63)] = nil
    Self.live(chunk).pointee -= 1
    count -= 1
  }

  /// Calls a closure with every object.
  func visit(_ body: (ManagedObject) -> Void) {
    for index in 0...mask {
      guard let chunk = directory[index].chunk else { continue }
      for place in 0..<64 {
        if let object = chunk[place] { body(object.takeUnretainedValue()) }
      }
    }
  }

  /// The keys of faults whose keys are near one, that one among them.
  ///
  /// - Parameters:
  ///   - key: The key of a fault.
  ///   - limit: How many keys are enough.
  /// - Returns: The keys, fewest steps away first by chunks of 64.
  func faults(near key: Int64, _ limit: Int) -> [Int64] {
    var keys = [key]
    let number = key >> 6
    for distance in 0...4 {
      for neighbour in distance == 0
        ? [number] : [number + Int64(distance), number - Int64(distance)]
      where neighbour >= 0 && keys.count < limit {
        guard let chunk = directory[probe(neighbour)].chunk else { continue }
        for place in 0..<64 where keys.count < limit {
          let candidate = neighbour << 6 | Int64(place)
          guard candidate != key, let object = chunk[place] else { continue }
          if object._withUnsafeGuaranteedRef({ $0._row == nil }) { keys.append(candidate) }
        }
      }
    }
    return keys
  }

  /// Frees the chunks that are empty.
  mutating func compact() { rehash() }

  private func home(_ number: Int64) -> Int {
    let mixed = UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed ^ mixed >> 32) & mask
  }

  /// Where a chunk is, or where it would be put.
  private func probe(_ number: Int64) -> Int {
    var index = home(number)
    while directory[index].chunk != nil, directory[index].number != number {
      index = (index + 1) & mask
    }
    return index
  }

  @inline(never)
  private mutating func open(_ number: Int64) {
    var index = probe(number)
    if directory[index].chunk == nil {
      if (used + 1) * 3 > (mask + 1) * 2 {
        rehash()
        index = probe(number)
      }
      directory[index] = Entry(number: number, chunk: spare.popLast() ?? Self.emptyChunk())
      used += 1
    }
    lastNumber = number
    last = index
  }

  private static func emptyChunk() -> Chunk {
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: 8 * (chunkSize + 1),
      alignment: MemoryLayout<Int>.alignment
    )
    let chunk = block.initializeMemory(as: Reference?.self, repeating: nil, count: chunkSize)
    (block + 8 * chunkSize).initializeMemory(as: Int.self, to: 0)
    return chunk
  }

  /// The number of objects in a chunk.
  @inline(__always)
  private static func live(_ chunk: Chunk) -> UnsafeMutablePointer<Int> {
    UnsafeMutableRawPointer(chunk + chunkSize).assumingMemoryBound(to: Int.self)
  }

  private func isInUse(_ entry: Entry) -> Bool {
    entry.chunk.map { Self.live($0).pointee > 0 } ?? false
  }

  private mutating func recycle(_ chunk: Chunk?) {
    guard let chunk else { return }
    if spare.count < Self.spareLimit { spare.append(chunk) } else { chunk.deallocate() }
  }

  private static let chunkSize = 64
  private static let spareLimit = 16

  /// Drops empty chunks, and doubles the directory while it is crowded.
  private mutating func rehash() {
    let old = directory
    let oldCount = mask + 1
    let live = (0..<oldCount).count { isInUse(old[$0]) }
    var capacity = 16
    while capacity < live * 2 { capacity *= 2 }
    directory = .allocate(capacity: capacity)
    directory.initialize(repeating: Entry(), count: capacity)
    mask = capacity - 1
    used = live
    for index in 0..<oldCount {
      if isInUse(old[index]) {
        directory[probe(old[index].number)] = old[index]
      } else {
        recycle(old[index].chunk)
      }
    }
    old.deallocate()
    lastNumber = .min
  }
}
