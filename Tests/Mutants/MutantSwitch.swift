// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

extension String {
  /// Writes a file, if it is another one: what stays is not compiled again.
  func update(_ file: URL) throws {
    let data = Data(utf8)
    if (try? Data(contentsOf: file)) != data { try data.write(to: file) }
  }
}

/// What a module needs to turn mutants on.
enum MutantSwitch {
  private static let source = """
    // Perennial: object-graph persistence for Swift
    // SPDX-License-Identifier: MIT

    import Foundation
    import Synchronization

    enum MutantSwitch {
      private static let environment = ProcessInfo.processInfo.environment
      private static let chosen = Int(environment["PERENNIAL_MUTANT"] ?? "")
      /// Where the numbers of places go that are reached.
      private static let log = environment["PERENNIAL_MUTANTS_REACHED"]
        .map { open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644) }
      private static let reached = Mutex<Set<Int>>([])

      static func isOn(_ number: Int) -> Bool {
        if let log { note(number, log) }
        return chosen == number
      }

      private static func note(_ number: Int, _ log: Int32) {
        reached.withLock { reached in
          guard reached.insert(number).inserted else { return }
          let line = Array("\\(number)\\n".utf8)
          _ = write(log, line, line.count)
        }
      }
    }

    """

  static func write(module: String, to copy: URL) throws {
    try source.update(copy.appending(path: "Sources/\(module)/MutantSwitch.swift"))
  }
}
