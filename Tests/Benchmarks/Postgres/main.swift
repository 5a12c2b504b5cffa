// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

do {
  let options = try PostgresOptions(Array(CommandLine.arguments.dropFirst()))
  if options.isHelp {
    print(PostgresOptions.help)
  } else if try !PostgresBench(options).run() {
    exit(1)
  }
} catch {
  FileHandle.standardError.write(Data("perennial-bench-postgres: \(error)\n".utf8))
  exit(1)
}
