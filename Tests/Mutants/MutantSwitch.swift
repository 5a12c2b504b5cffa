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

    enum MutantSwitch {
      private static let chosen = Int(ProcessInfo.processInfo.environment["PERENNIAL_MUTANT"] ?? "")

      static func isOn(_ number: Int) -> Bool { chosen == number }
    }

    """

  static func write(module: String, to copy: URL) throws {
    try source.update(copy.appending(path: "Sources/\(module)/MutantSwitch.swift"))
  }
}
