// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A made-up history with a given number of commits, the same for the same seed.
///
/// It has side branches with their merges, fixes, texts in many scripts, names with quotes and
/// percent signs, an empty message, a commit without a name and one without an address.
public struct DemoHistory: Sendable {
  /// The number of commits that the branch `main` reaches.
  public let count: Int
  /// What decides about everything that is random.
  public let seed: UInt64

  /// Describes a history.
  public init(count: Int, seed: UInt64 = 1) {
    self.count = count
    self.seed = seed
  }

  /// Writes the history as a stream for `git fast-import`.
  ///
  /// - Parameter body: Called with each piece of the stream, one for a commit.
  /// - Throws: What `body` throws.
  public func write(_ body: (String) throws -> Void) rethrows {
    var writer = HistoryWriter(self)
    try body("feature done\n")
    for number in 1...max(1, count) where count > 0 {
      try body(writer.commit(number))
    }
    try body("done\n")
  }
}

/// Writes the commits of a history, one after the other.
///
/// Invariants after each commit:
/// 1. `main` is the mark of the newest commit of the main line, 0 before the first.
/// 2. `branch` is the open side branch; it is merged before the last commit is written.
private struct HistoryWriter {
  private struct Branch {
    var tip: Int
    var remaining: Int
  }

  private let count: Int
  private var random: SeededRandom
  private var main = 0
  private var branch: Branch?
  private var mergeCount = 0

  init(_ history: DemoHistory) {
    count = history.count
    random = SeededRandom(seed: history.seed)
  }

  mutating func commit(_ number: Int) -> String {
    if let branch, branch.remaining == 0 || number == count { return merge(branch, number) }
    if var branch, random.chance(60) {
      defer { self.branch = Branch(tip: number, remaining: branch.remaining) }
      branch.remaining -= 1
      return work(number, parent: branch.tip)
    }
    if branch == nil, main > 0, number + 2 < count, random.chance(12) {
      branch = Branch(tip: number, remaining: random.below(3))
      return work(number, parent: main)
    }
    defer { main = number }
    return work(number, parent: main)
  }

  private mutating func merge(_ branch: Branch, _ number: Int) -> String {
    mergeCount += 1
    let message = DemoMessages.merge(number: 100 + mergeCount, &random)
    var text = header(number, author: author(number), message: message)
    text += "from :\(main)\nmerge :\(branch.tip)\n\n"
    main = number
    self.branch = nil
    return text
  }

  private mutating func work(_ number: Int, parent: Int) -> String {
    let message = number % 1_000 == 3 ? "" : DemoMessages.work(&random)
    var text = header(number, author: author(number), message: message)
    if parent > 0 { text += "from :\(parent)\n" }
    let content = "Commit \(number)\n"
    text += "M 100644 inline Sources/File\(random.below(40)).txt\n"
    return text + "data \(content.utf8.count)\n\(content)\n"
  }

  private mutating func header(_ number: Int, author: DemoPerson, message: String) -> String {
    // From 2014 on, a commit about every 100 minutes.
    let date = 1_388_534_400 + number * 6_000 + random.below(5_000)
    let zone = random.pick(["+0000", "+0200", "-0800", "+0530"])
    let written = date - random.below(4) * 86_400
    return """
      commit refs/heads/main
      mark :\(number)
      author \(author.identity) \(written) \(zone)
      committer \(author.identity) \(date) \(zone)
      data \(message.utf8.count)
      \(message)

      """
  }

  /// Everybody commits once, and then those at the beginning of the list more than the others.
  private mutating func author(_ number: Int) -> DemoPerson {
    switch number % 1_000 {
    case 4: return .nameless
    case 5: return .addressless
    default: break
    }
    let people = DemoPerson.all
    if number <= people.count { return people[number - 1] }
    return people[min(random.below(people.count), random.below(people.count))]
  }
}
