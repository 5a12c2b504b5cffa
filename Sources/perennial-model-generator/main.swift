// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The program behind `PerennialModelPlugin` and `swift package generate-model-classes`.

import Foundation

let generator = Generator(
  say: { print($0) },
  complain: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) }
)
exit(generator.run(Array(CommandLine.arguments.dropFirst())))
