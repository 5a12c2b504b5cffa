// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Files and texts from somebody who means harm: each is a value or an error, never a trap, a loop, or more
/// memory than it is worth.
enum HostileTrial: Trial {
  static let name = "hostile"
  static let about = "damaged files, hostile predicates and texts: no traps, no loops"
  static let usualCount = """
    --count counts the things of each kind: 100,000 files, 1,000,000 predicates and 100,000 texts, or 1,000, \
    10,000 and 2,000 with --short.
    """

  static func run(_ options: TrialOptions) throws -> Verdict {
    var numbers: [HostilePart: Int] = [:]
    var (crashed, hung, wrong) = (0, 0, 0)
    for part in HostilePart.allCases {
      let count = options.count(usually: part.counts.usual, short: part.counts.short)
      numbers[part] = count
      var run = HostileRun(part, seed: options.seed, count: count)
      try run.run()
      crashed += run.crashedCount
      hung += run.hungCount
      wrong += run.wrongCount
    }
    let things = HostilePart.allCases.map { "\(numbers[$0] ?? 0) \($0.rawValue)" }
    return Verdict(
      counts: "\(things.joined(separator: ", ")): \(crashed) crashed, \(hung) hung, \(wrong) wrong",
      isKept: crashed + hung + wrong == 0
    )
  }

  static func child(_ arguments: [String]) throws { try HostileChild.run(arguments) }
}
