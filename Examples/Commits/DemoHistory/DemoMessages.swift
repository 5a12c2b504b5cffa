// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Makes the messages of the history.
enum DemoMessages {
  /// A message of ordinary work; about one in twenty is a fix.
  static func work(_ random: inout SeededRandom) -> String {
    if random.chance(5) { return fix(&random) }
    let title = "\(random.pick(verbs)) \(random.pick(objects))"
    guard random.chance(30) else { return title + "\n" }
    return "\(title)\n\n\(random.pick(bodies))\n"
  }

  /// The message of a merged pull request.
  static func merge(number: Int, _ random: inout SeededRandom) -> String {
    let title = "\(random.pick(verbs)) \(random.pick(objects))"
    return "Merge pull request #\(number) from example/topic-\(number)\n\n\(title)\n"
  }

  private static func fix(_ random: inout SeededRandom) -> String {
    "Fix \(random.pick(faults)) in \(random.pick(objects))\n"
  }

  private static let verbs = [
    "Add", "Remove", "Rename", "Simplify", "Document", "Test", "Speed up", "Move", "Update",
    "Refactor",
  ]
  private static let objects = [
    "the parser", "the type checker", "the café menu", "naïve caching", "the 日本語 localisation",
    "the emoji picker 🎉", "the build script", "the \"quoted\" names", "100% of the samples",
    "the JSON reader", "the index", "the command line", "the crash reporter", "the scheduler",
  ]
  private static let faults = [
    "a crash", "a race", "a leak", "an off-by-one error", "a typo", "the wrong colour",
  ]
  private static let bodies = [
    "It was slower than it had to be.", "See the discussion on the list.\n\n- first\n- second",
    "Reviewed-by: Somebody <somebody@example.org>", "L'été est là; \tcolumns, too.",
  ]
}
