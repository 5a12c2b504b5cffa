// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import Testing

@Suite("Printing and reading back")
struct RoundTripTests {
  @Test(arguments: 1...40)
  func `a printed tree is read back as an equal tree`(_ seed: Int) throws {
    var generator = TreeGenerator(seed: UInt64(seed))
    for _ in 0..<60 {
      let predicate = FetchPredicate(generator.predicate(depth: 4))
      let text = predicate.description
      let copy = try FetchPredicate(parsing: text)
      #expect(copy == predicate, "seed \(seed): \(text)")
      #expect(copy.description == text, "seed \(seed)")
    }
  }

  @Test(arguments: Vector.all.filter { $0.expectation != "parse-error" })
  func `every vector is read back as it was`(_ vector: Vector) throws {
    let predicate = try FetchPredicate(
      parsing: vector.format,
      arguments: vector.args.map(\.argument)
    )
    #expect(try FetchPredicate(parsing: predicate.description) == predicate)
  }

  @Test(
    arguments: [
      ("a=1", "a == 1"),
      ("not a or b = 2 and c = 3", nil),
      ("NOT (a = 1 or b = 2) && c = 3", "NOT (a == 1 OR b == 2) AND c == 3"),
      ("any x.y contains [dc] 'z'", "ANY x.y CONTAINS[cd] \"z\""),
      ("(a + 1) * 2 = 4", "(a + 1) * 2 == 4"),
      ("x not in {1, 2}", "NOT x IN {1, 2}"),
      ("a.@sum.b > 1", "a.@sum.b > 1"),
      ("#size = -a", "#size == -a"),
      ("d < CAST(100, 'NSDate')", "d < CAST(100.0, \"NSDate\")"),
      ("d < CAST('inf', 'NSDate')", "d < CAST(\"inf\", \"NSDate\")"),
      ("modulus:by:(a, 2) = 0", "modulus:by:(a, 2) == 0"),
    ] as [(String, String?)]
  )
  func `text is printed in one form`(_ text: String, _ expected: String?) throws {
    let printed = try? FetchPredicate(parsing: text).description
    #expect(printed == expected)
  }

  @Test
  func `nothing joined is printed as what it means`() throws {
    #expect(FetchPredicate(.and([])).description == "TRUEPREDICATE")
    #expect(FetchPredicate(.or([])).description == "FALSEPREDICATE")
    #expect(FetchPredicate(.not(.or([]))).description == "NOT FALSEPREDICATE")
    #expect(try FetchPredicate(.and([])).evaluate(with: ["a": 1]))
    #expect(try !FetchPredicate(.or([])).evaluate(with: ["a": 1]))
  }

  @Test
  func `a key that is computed is printed, but cannot be written`() throws {
    let sum = ExpressionNode.function(.add, [.path("a"), .constant(.integer(1))])
    let node = ExpressionNode.aggregate(.path("items"), .max, sum)
    let predicate = FetchPredicate(.comparison(Comparison(node, .equal, .constant(.integer(2)))))
    #expect(predicate.description == "items.@max.<a + 1> == 2")
    #expect(throws: PerennialError.self) { try FetchPredicate(parsing: predicate.description) }
  }

  @Test
  func `an outline hides values and cuts long lists`() throws {
    let predicate = try FetchPredicate(
      parsing: "a IN {1, 2, 3, 4, 5, 6} AND b IN {1, 2} AND c == nil"
    )
    #expect(
      try predicate.checked().outline
        == "a IN {%@, %@, %@, %@, …} AND b IN {%@, %@} AND c == nil"
    )
  }

  @Test
  func `a predicate survives coding`() throws {
    let predicate = FetchPredicate(
      format: "name == %@ AND date > %@ AND id IN %@",
      "a\"b",
      Date(timeIntervalSinceReferenceDate: 0.1),
      [UUID(), UUID()]
    )
    let data = try JSONEncoder().encode([predicate])
    #expect(try JSONDecoder().decode([FetchPredicate].self, from: data) == [predicate])
  }

  @Test
  func `a decimal number without a value survives printing and coding`() throws {
    let predicate = FetchPredicate(format: "price == %@", Decimal.nan)
    #expect(predicate.description == "price == CAST(\"NaN\", \"NSDecimalNumber\")")
    let data = try JSONEncoder().encode([predicate])
    let decoded = try JSONDecoder().decode([FetchPredicate].self, from: data)
    for copy in try [FetchPredicate(parsing: predicate.description)] + decoded {
      guard case .comparison(let comparison) = try copy.checked(),
        case .constant(.decimal(let number)) = comparison.right
      else {
        Issue.record("\(copy)")
        continue
      }
      #expect(number.isNaN)
    }
  }

  @Test
  func `a tree survives coding`() throws {
    var generator = TreeGenerator(seed: 99)
    let nodes = (0..<50).map { _ in generator.predicate(depth: 3) }
      .filter { !"\($0)".contains("inf") }
    let data = try JSONEncoder().encode(nodes)
    #expect(try JSONDecoder().decode([PredicateNode].self, from: data) == nodes)
  }

  @Test
  func `coded text that is no predicate is refused`() {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([FetchPredicate].self, from: Data("[\"a ==\"]".utf8))
    }
  }
}
