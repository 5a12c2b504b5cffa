// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import Testing

extension Vector: CustomTestStringConvertible {}

@Suite("The shared vectors")
struct VectorTests {
  /// Vectors that contradict a decision of PREDICATES.md, with the row that decides.
  static let decided: [Int: (expect: String, reason: String)] = [:]

  @Test(arguments: Vector.all)
  func `every vector has its expected answer`(_ vector: Vector) {
    let expected = Self.decided[vector.id]?.expect ?? vector.expectation
    #expect(answer(vector) == expected, "vector \(vector.id)")
  }

  @Test
  func `the vectors are found`() {
    #expect(Vector.all.count == 353)
  }

  private func answer(_ vector: Vector) -> String {
    let predicate: FetchPredicate
    do {
      predicate = try FetchPredicate(parsing: vector.format, arguments: vector.args.map(\.argument))
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
