// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import RandomTesting

// Changes what the code means, in many places at once, each of which `PERENNIAL_MUTANT` turns on alone: so that one
// build serves all of them. `.ci/mutants` copies the checkout, calls this, builds, and runs the tests again and again.

let parsed: ParsedArguments = MutantsTool.tool.argumentsOrExit(
  Array(CommandLine.arguments.dropFirst())
)
let (checkout, copy) = (
  URL(filePath: parsed[MutantsTool.checkout] ?? ""), URL(filePath: parsed[MutantsTool.copy] ?? "")
)
let seed = parsed[MutantsTool.seed] ?? 2026
let count = parsed[MutantsTool.count] ?? 200
let without: Set<Int> = Set(parsed[MutantsTool.without] ?? [])

do {
  var generator = SeededGenerator(seed: seed)
  let areas = try Area.all(in: checkout)
  for (index, area) in areas.enumerated() {
    let sources = try area.files(in: checkout).map { try SourceFile(checkout, $0) }
    // As many of each area: a small one is as important. The next one stands in for what does not compile; numbers
    // stay.
    let chosen = sources.flatMap { $0.mutants() }.shuffled(using: &generator).enumerated()
      .map { (number: $0.offset * areas.count + index, mutant: $0.element) }
      .filter { !without.contains($0.number) }
      .prefix(count / areas.count)
    for source in sources {
      try source.write(chosen.filter { $0.mutant.file == source.name }, to: copy)
    }
    for module in Set(area.modules) { try MutantSwitch.write(module: module, to: copy) }
    for (number, mutant) in chosen {
      print("\(number)\t\(area.name)\t\(mutant.file):\(mutant.line)\t\(mutant.summary)")
    }
  }
} catch {
  FileHandle.standardError.write(Data("mutants: error: \(error.localizedDescription)\n".utf8))
  exit(1)
}
