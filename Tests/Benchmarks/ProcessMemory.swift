// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The memory of this process that is resident, in bytes.
enum ProcessMemory {
  #if os(Linux) || os(Android)
  // Not getrusage: its peak is inherited from the process that started this one.
  static func current() throws -> Int { try value(of: "VmRSS") }

  static func peak() throws -> Int { try value(of: "VmHWM") }

  private static func value(of key: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    for line in status.split(separator: "\n") where line.hasPrefix(key + ":") {
      let fields = line.split(whereSeparator: \.isWhitespace)
      if fields.count > 1, let kibibytes = Int(fields[1]) { return kibibytes * 1024 }
    }
    throw BenchmarkError("/proc/self/status has no '\(key)'.")
  }
  #else
  static func current() throws -> Int { try peak() }

  static func peak() throws -> Int {
    var usage = rusage()
    guard getrusage(RUSAGE_SELF, &usage) == 0 else {
      throw BenchmarkError("getrusage does not tell the memory of the process.")
    }
    return usage.ru_maxrss
  }
  #endif
}
