// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import RandomTesting

/// Texts that may be predicates: they are read, evaluated in memory, and asked of a store in SQL.
///
/// Each is also a sort and a computed value, which programs may take from texts, too.
struct HostilePredicates: HostileJudge {
  /// How long a short text may take to be read.
  private static let timeLimit = Duration.milliseconds(10)
  private static let lengthLimit = 4_000

  private let mutator: TextMutator
  private let context: ManagedObjectContext

  init(_ scratch: Scratch) throws {
    mutator = TextMutator(seed: 0, formats: try Fixtures.formats() + ThingModel.formats)
    context = try ThingModel.open().newBackgroundContext()
  }

  func judge(_ seed: UInt64) -> String? {
    var chance = Chance(seed: seed)
    if chance.once(in: 500) { return chance.once(in: 2) ? judgeDeep(&chance) : judgeLong(&chance) }
    var mutator = mutator.restarted(seed: seed)
    let text = mutator.text()
    var predicate: FetchPredicate?
    if let problem = read(text, into: &predicate) { return "\(problem): \(text.debugDescription)" }
    var attempts = Attempts(isOfWholeFile: true)
    if let predicate { use(predicate, &attempts) }
    if chance.once(in: 16) { useElsewhere(text, &chance, &attempts) }
    return attempts.problem.map { "\($0): \(text.debugDescription)" }
  }

  /// Reads a text; too slow is what is too slow three times, as the first may pay for what is made once.
  private func read(_ text: String, into predicate: inout FetchPredicate?) -> String? {
    let arguments: [(any Sendable)?] = text.contains("%") ? ["a", 1] : []
    var problem: String?
    var read: FetchPredicate?
    var shortest = Duration.seconds(1_000)
    for _ in 0..<3 where shortest > Self.timeLimit {
      let time = ThreadTime.of {
        do throws(PerennialError) {
          read = try FetchPredicate(parsing: text, arguments: arguments)
        } catch {
          if error.message.isEmpty { problem = "an error without words" }
        }
      }
      shortest = min(shortest, time)
    }
    predicate = read
    return shortest > Self.timeLimit ? "took \(shortest) to be read" : problem
  }

  private func use(_ predicate: FetchPredicate, _ attempts: inout Attempts) {
    for object in ThingModel.objects {
      attempts.attempt { () throws(PerennialError) in
        _ = try predicate.evaluate(with: object, substitutionVariables: ["x": 1])
      }
    }
    var request = FetchRequest<ManagedObject>(entityName: "Thing")
    request.predicate = predicate
    attempts.attempt { () throws(PerennialError) in _ = try context.count(for: request) }
    request.predicate = predicate.withSubstitutionVariables(["x": 1, "m": "x"])
    attempts.attempt { () throws(PerennialError) in _ = try context.fetch(request) }
  }

  /// Takes a part of the text for the key of a sort, the name of a property, a computed value.
  private func useElsewhere(_ text: String, _ chance: inout Chance, _ attempts: inout Attempts) {
    let key = String(text.prefix(chance.below(40)))
    var request = FetchRequest<ManagedObject>(entityName: "Thing")
    request.sortDescriptors = [FetchSort(key)]
    attempts.attempt { () throws(PerennialError) in _ = try context.fetch(request) }
    request.sortDescriptors = []
    attempts.attempt { () throws(PerennialError) in
      let value = try ExpressionDescription(key.isEmpty ? "v" : key, parsing: text)
      _ = try context.fetchDictionaries(request.fetching(.expression(value)))
    }
    attempts.attempt { () throws(PerennialError) in
      _ = try context.fetchDictionaries(request.fetching("a").grouped(by: key))
    }
    attempts.attempt { () throws(PerennialError) in
      _ = try context.insert(entityNamed: key)
    }
    attempts.attempt { () throws(PerennialError) in
      guard let thing = try context.fetch(request.limit(1)).first else { return }
      _ = try thing.value(forKey: key)
    }
    context.rollback()
  }

  /// A thousand conditions and more beside each other, which find what one of them finds; and as many sorts, and paths
  /// of many steps.
  private func judgeLong(_ chance: inout Chance) -> String? {
    let count = 1_000 + chance.below(2_000)
    let part = chance.one(of: [
      "a >= 0", "c != nil", "NOT d == TRUE", "one.a > 1", "c CONTAINS[c] 'x'", "many.@count == 1",
    ])
    let word = chance.one(of: [" AND ", " OR "])
    let path = String(repeating: "one.", count: 1 + chance.below(60)) + "a"
    var attempts = Attempts(isOfWholeFile: true)
    var request = FetchRequest<ManagedObject>(entityName: "Thing")
    let counts = [1, count].map { count in
      attempts.value { () throws(PerennialError) in
        let text = Array(repeating: part, count: count).joined(separator: word)
        request.predicate = try FetchPredicate(parsing: text)
        return try context.count(for: request)
      }
    }
    if counts[0] != counts[1] || counts[0] == nil {
      return attempts.problem ?? "\(count) times '\(part)' with\(word)find others than once"
    }
    request.predicate = nil
    for sorts in [[FetchSort(path)], (0..<count).map { FetchSort($0 % 2 == 0 ? "a" : "c") }] {
      request.sortDescriptors = sorts
      attempts.attempt { () throws(PerennialError) in _ = try context.fetch(request) }
    }
    request.sortDescriptors = []
    attempts.attempt { () throws(PerennialError) in
      _ = try context.fetchDictionaries(request.fetching(.property(path)))
    }
    return attempts.problem.map { "\($0): \(count) sorts, or '\(path)'" }
  }

  /// A thousand levels and more, which must be an error and not the end of the stack.
  private func judgeDeep(_ chance: inout Chance) -> String? {
    let count = 1_000 + chance.below(2_000)
    let (open, inner, close) = chance.one(of: [
      ("(", "a == 1", ")"), ("NOT ", "a == 1", ""), ("-", "1 == a", ""), ("{", "1", "} IN a"),
      ("abs(", "a", ") == 1"), ("a[", "1", "] == 1"), ("!", "(a == 1)", ""), ("~", "1 == a", ""),
      ("SUBQUERY(a, $x, ", "TRUEPREDICATE", ").@count == 1"), ("TERNARY(", "TRUE", ", 1, 2)"),
      ("(a == 1 AND ", "a == 1", ")"), ("(1 + ", "a", ") == 1"), ("ANY ", "a == 1", ""),
      ("2 ** ", "1 == a", ""), ("CAST(", "a", ", 'NSDate')"), ("(", "", ""), ("{", "", ""),
    ])
    let text =
      String(repeating: open, count: count) + inner + String(repeating: close, count: count)
    do throws(PerennialError) {
      let predicate = try FetchPredicate(parsing: text)
      var attempts = Attempts(isOfWholeFile: true)
      use(predicate, &attempts)
      // Some of them say the same in a thousand ways: `2 ** 2 ** …`, `{` where one has to be closed.
      return ["(", "NOT ", "!", "abs("].contains(open)
        ? "\(count) levels of '\(open)' were read" : attempts.problem
    } catch {
      return error.message.isEmpty ? "an error without words" : nil
    }
  }
}
