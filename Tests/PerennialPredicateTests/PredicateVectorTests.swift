// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import ServerTesting
import Testing

extension Vector: CustomTestStringConvertible {}

/// Every vector in memory, and those whose object is a dictionary in both stores too.
///
/// `PERENNIAL_PREDICATE_VECTORS=FILE` names another file of the same form to take them from.
@Suite("The shared vectors")
struct PredicateVectorTests {
  @Test(arguments: Vector.all)
  func `every vector has its expected answer`(_ vector: Vector) {
    #expect(answer(vector) == vector.expectation, "vector \(vector.id)")
  }

  @Test func `the stores give the expected answers`() throws {
    var reasons: [String: Int] = [:]
    var countInSQL = 0
    for vector in Vector.all where ["true", "false"].contains(vector.expectation) {
      guard let predicate = try? predicate(of: vector) else { continue }
      switch try VectorStore.outcome(vector, predicate) {
      case .answered(let answer, let inSQL):
        #expect(answer == vector.expectation, "vector \(vector.testDescription)")
        countInSQL += inSQL ? 1 : 0
      case .different(let answers): Issue.record("vector \(vector.testDescription): \(answers)")
      case .skipped(let reason): reasons[reason, default: 0] += 1
      }
    }
    if !Vector.areForeign {
      // A server folds no texts.
      #expect(countInSQL >= (ServerSchema.isWanted ? 220 : 240), "skipped: \(reasons)")
    }
  }

  @Test func `the vectors are found`() {
    #expect(Vector.problem == nil)
    #expect(Vector.areForeign ? !Vector.all.isEmpty : Vector.all.count == 353)
  }

  private func predicate(of vector: Vector) throws(PerennialError) -> FetchPredicate {
    try FetchPredicate(parsing: vector.format, arguments: vector.args.map(\.argument))
  }

  private func answer(_ vector: Vector) -> String {
    let predicate: FetchPredicate
    do {
      predicate = try self.predicate(of: vector)
    } catch {
      return "parse-error"
    }
    do {
      let variables = (vector.vars ?? [:]).mapValues(\.argument)
      let answer = try predicate.evaluate(
        with: vector.object.argument,
        substitutionVariables: variables
      )
      return "\(answer)"
    } catch {
      return "eval-error"
    }
  }
}
