// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension ResultsList {
  /// Lengthens the last section, or begins another.
  mutating func append(_ count: Int, to name: String) {
    let end = sections.last?.range.upperBound ?? 0
    if let last = sections.indices.last, sections[last].isNamed(name) {
      sections[last].range = sections[last].range.lowerBound..<end + count
    } else {
      sections.append(Section(name: name, range: end..<end + count))
    }
  }

  /// Takes rows out, and the sections that become empty, but for a list's only one without a name.
  ///
  /// - Returns: For the key of each row, how many rows are left in front of it.
  mutating func remove(_ keys: KeyFilter) -> [Int64: Int] {
    var places: [Int64: Int] = [:]
    var kept = 0
    var ends: [Int] = []
    ends.reserveCapacity(sections.count)
    // Safe because the rows are used inside the closure only, at places of the sections.
    references.withUnsafeMutableBufferPointer { rows in
      for section in sections {
        for row in section.range {
          if keys.contains(rows[row].key) {
            places[rows[row].key] = kept
          } else {
            rows[kept] = rows[row]
            kept += 1
          }
        }
        ends.append(kept)
      }
    }
    guard !places.isEmpty else { return places }
    references.removeLast(references.count - kept)
    var shrunk: [Section] = []
    shrunk.reserveCapacity(sections.count)
    var start = 0
    for (section, end) in zip(sections, ends) where end > start || isWithoutSections {
      shrunk.append(Section(name: section.name, range: start..<end))
      start = end
    }
    sections = shrunk
    return places
  }

  /// Keeps only the rows of a window.
  mutating func cut(offset: Int, limit: Int) {
    let rows = references.dropFirst(offset)
    let kept = limit > 0 ? rows.prefix(limit) : rows
    let range = kept.startIndex..<kept.endIndex
    let old = sections
    let keepsEmpty = isWithoutSections
    references = Array(kept)
    sections = []
    for section in old {
      let part = section.range.clamped(to: range)
      if !part.isEmpty || keepsEmpty { append(part.count, to: section.name) }
    }
  }
}
