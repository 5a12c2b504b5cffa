// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import RandomTesting

// Changes what the code means, in many places at once, each of which `PERENNIAL_MUTANT` turns on alone: so that one
// build serves all of them. `.ci/mutants` copies the checkout, calls this, builds, and runs the tests again and again.
//
// mutants CHECKOUT COPY SEED COUNT [WITHOUT]: rewrites the sources of a copy, and prints a line for each mutant: its
// number, the area, the place, and what is different. WITHOUT are the numbers, with commas between, of those that do not
// compile.

let arguments = CommandLine.arguments
guard arguments.count >= 5, let seed = UInt64(arguments[3]), let count = Int(arguments[4]) else {
  FileHandle.standardError.write(Data("usage: mutants CHECKOUT COPY SEED COUNT [WITHOUT]\n".utf8))
  exit(2)
}
let (checkout, copy) = (URL(filePath: arguments[1]), URL(filePath: arguments[2]))
let without = Set(arguments.dropFirst(5).joined().split(separator: ",").compactMap { Int($0) })

var generator = SeededGenerator(seed: seed)
let areas = try Area.all(in: checkout)
for (index, area) in areas.enumerated() {
  let sources = try area.files(in: checkout).map { try SourceFile(checkout, $0) }
  // As many of each area: a small one is as important. The next one stands in for what does not compile; numbers stay.
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
