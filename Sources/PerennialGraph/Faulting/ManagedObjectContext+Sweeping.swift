// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// An object keeps the page of its row, and so the rows of all that were fetched with it. When most
// objects have gone, a sweep moves the rows of the others together. No object is counted for it: the
// identity maps know how many live.

extension ManagedObjectContext {
  /// How few objects are not worth a sweep.
  private static var leastPeak: Int { 1_000 }

  /// The number of objects of the context that are alive.
  private var liveCount: Int { homeIndexes.reduce(0) { $0 + homes[$1].map.count } }

  /// Notes how many objects there are, after a fetch has made some.
  func noteLiveObjects() { liveCountPeak = max(liveCountPeak, liveCount) }

  /// Whether fewer than a quarter are left of the objects that there were since the last sweep.
  var isSweepWorthwhile: Bool { liveCountPeak >= Self.leastPeak && liveCount * 4 < liveCountPeak }

  /// Sweeps when fewer than a quarter are left of the objects that there were since the last time.
  func sweepIfWorthwhile() {
    guard isSweepWorthwhile else { return noteLiveObjects() }
    let forgotten = faulting.forget()
    withExtendedLifetime(forgotten) {}
    sweep()
    liveCountPeak = liveCount
  }

  /// Copies the rows of pages of which less than a quarter is in use into fresh pages.
  func sweep() {
    let objects = liveObjects.filter { $0._committedPage != nil && $0._committedRow != nil }
    var inUse: [ObjectIdentifier: Int] = [:]
    for object in objects {
      guard let page = object._committedPage else { continue }
      inUse[ObjectIdentifier(page), default: 0] += 1
    }
    let scattered = objects.filter { object in
      guard let page = object._committedPage else { return false }
      return (inUse[ObjectIdentifier(page)] ?? 0) * 4 < page.count
    }
    regroup(scattered)
    for index in homeIndexes { homes[index].map.compact() }
  }

  /// Gives objects copies of their rows that lie together.
  ///
  /// Safe because an object's page is replaced together with the row that lies in it.
  private func regroup(_ objects: [ManagedObject]) {
    let pages = PageBuilder.pages(
      of: objects.lazy.compactMap { object in
        guard let row = object._committedRow, let home = object._home else { return nil }
        return (row, PackedRow.byteCount(row, home.pointee.layout))
      }
    )
    var place = 0
    for page in pages {
      for index in 0..<page.count {
        let object = objects[place]
        place += 1
        if let edit = object._edit {
          edit.pointee.committedPage?.release()
          edit.pointee.committedPage = .passRetained(page)
          edit.pointee.committedRow = page.row(index)
        } else {
          object._row = page.row(index)
          object._page = page
        }
      }
    }
  }

  /// The bytes of all pages that the context's objects hold: for tests and figures.
  package var heldByteCount: Int {
    var pages: [ObjectIdentifier: Int] = [:]
    for object in liveObjects {
      guard let page = object._committedPage else { continue }
      pages[ObjectIdentifier(page)] = page.byteCount
    }
    return pages.values.reduce(0, +)
  }
}
