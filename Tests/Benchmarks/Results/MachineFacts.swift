// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// What a reader of the figures must know of the machine and the versions.
struct MachineFacts {
  let lines: [String]

  /// The facts beside those of an engine, which the program was run on.
  init(program: String, engine: [String]) {
    let information = ProcessInfo.processInfo
    let memory = (information.physicalMemory + 1 << 29) >> 30
    let processor = Self.value(of: "model name", in: "/proc/cpuinfo", after: ":")
    let system = Self.value(of: "PRETTY_NAME", in: "/etc/os-release", after: "=")
    let swift = Self.output(["swift", "--version"])?.split(separator: "\n").first
      .map { $0.trimmingCharacters(in: .whitespaces) }
    let command = ([program] + CommandLine.arguments.dropFirst()).joined(separator: " ")
    let first = [
      "Machine: \(information.processorCount) cores of \(processor ?? "an unknown processor"), "
        + "\(memory) GiB",
      "System: \(system ?? information.operatingSystemVersionString)",
      "Swift: \(swift ?? "unknown"), release build",
    ]
    let last = [
      "Perennial: \(Self.commit ?? "unknown commit")",
      "Date: \(Date.now.formatted(.iso8601.year().month().day()))",
      "Command: `\(command)`",
    ]
    lines = first + engine + last
  }

  /// The commit, and whether something else was measured; pages that this very run has written do not count.
  private static var commit: String? {
    guard let revision = output(["git", "rev-parse", "--short=8", "HEAD"]) else { return nil }
    let pages = ":(top,exclude)Documentation/Benchmarks"
    return output(["git", "diff", "--stat", "HEAD", "--", ":/", pages]) == ""
      ? revision : revision + "-dirty"
  }

  /// What follows a key in a file of lines.
  private static func value(of key: String, in file: String, after mark: Character) -> String? {
    let text = try? String(contentsOfFile: file, encoding: .utf8)
    let line = text?.split(separator: "\n").first { $0.hasPrefix(key) }
    guard let line, let index = line.firstIndex(of: mark) else { return nil }
    let value = line[line.index(after: index)...]
    return value.trimmingCharacters(in: CharacterSet(charactersIn: " \""))
  }

  /// What a program prints; `nil` when it cannot be run.
  private static func output(_ command: [String]) -> String? {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = (try? output.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return nil }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
