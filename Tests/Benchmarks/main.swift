// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

do {
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  if let task = options.memoryTask {
    try task.run()
  } else if let task = options.countedTask {
    try task.run()
  } else if try !Bench(options: options).run() {
    exit(1)
  }
} catch {
  FileHandle.standardError.write(Data("perennial-bench: \(error)\n".utf8))
  exit(1)
}
