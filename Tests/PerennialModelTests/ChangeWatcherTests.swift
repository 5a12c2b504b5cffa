// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if os(Linux)
import Foundation
import PerennialStore
import Testing

@Suite struct `Watching a store's file` {
  @Test(.timeLimit(.minutes(30)))
  func `1H.4 a write is looked at now, and some times more until others can see it`() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data("old".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let (looks, look) = AsyncStream<Void>.makeStream()
    let watcher = ChangeWatcher(path: file.path, interval: .seconds(3_600)) {
      look.yield()
      return true
    }
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: Data("new".utf8))
    try handle.close()
    var count = 0
    for await _ in looks {
      count += 1
      if count == 4 { break }
    }
    #expect(count == 4)
    withExtendedLifetime(watcher) {}
  }
}
#endif
