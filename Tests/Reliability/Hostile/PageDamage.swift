// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What can happen to a SQLite file (SQLite: "Database File Format").
enum PageDamage {
  private static let pageSize = 4096

  /// Damages a file in one to three places.
  static func damage(_ file: inout [UInt8], _ chance: inout Chance) {
    for _ in 0...chance.below(3) where file.count >= pageSize { damageOnce(&file, &chance) }
  }

  private static func damageOnce(_ file: inout [UInt8], _ chance: inout Chance) {
    let pageCount = file.count / pageSize
    let page = chance.below(pageCount) * pageSize
    switch chance.below(10) {
    case 0: damageHeader(&file, &chance)
    case 1: file[chance.below(file.count)] ^= 1 << UInt8(chance.below(8))
    case 2:
      // The head of a page: its kind, its free room, its cells, its last child.
      let start = page == 0 ? 100 : page
      file[start + chance.below(12)] = chance.byte()
    case 3:
      // Where its cells are.
      let start = page == 0 ? 100 : page
      file[start + 8 + chance.below(64)] = chance.byte()
    case 4: fill(&file, page, 0)
    case 5: fill(&file, page, chance.byte())
    case 6:
      let other = chance.below(pageCount) * pageSize
      for offset in 0..<pageSize { file.swapAt(page + offset, other + offset) }
    case 7:
      let other = chance.below(pageCount) * pageSize
      let copy = Array(file[other..<(other + pageSize)])
      file.replaceSubrange(page..<(page + pageSize), with: copy)
    case 8 where chance.once(in: 3):
      file.removeLast(chance.once(in: 2) ? chance.below(file.count) : file.count - page)
    default:
      // Most of a page is at its end: its cells.
      let count = chance.below(600)
      for _ in 0..<(1 + chance.below(6)) {
        file[page + pageSize - 1 - chance.below(count + 1)] = chance.byte()
      }
    }
  }

  private static func fill(_ file: inout [UInt8], _ page: Int, _ byte: UInt8) {
    for offset in 0..<pageSize { file[page + offset] = byte }
  }

  /// The first hundred bytes, field by field.
  private static func damageHeader(_ file: inout [UInt8], _ chance: inout Chance) {
    let fields: [(place: Int, byteCount: Int)] = [
      (16, 2), (18, 1), (19, 1), (20, 1), (21, 1), (22, 1), (23, 1), (24, 4), (28, 4), (32, 4),
      (36, 4), (40, 4), (44, 4), (48, 4), (52, 4), (56, 4), (60, 4), (64, 4), (68, 4), (72, 20),
      (92, 4), (96, 4),
    ]
    let field = chance.one(of: fields)
    let value: UInt8? = chance.one(of: [nil, 0, 1, 2, 0x7F, 0xFF])
    for offset in 0..<field.byteCount { file[field.place + offset] = value ?? chance.byte() }
  }
}
