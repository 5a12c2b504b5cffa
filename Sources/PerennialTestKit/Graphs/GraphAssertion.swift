// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Perennial

/// Compares what a request finds with a table, and throws if they differ.
///
/// ```swift
/// try assertGraph(
///   Commit.sorted(by: \.sha), in: context, properties: ["sha", "author.name"],
///   """
///   sha   author.name
///   a1    Ada
///   b2    nil
///   """)
/// ```
///
/// Several spaces between columns count as one, and spaces at the ends of lines do not count. An empty line is
/// an object whose values are all empty texts.
///
/// - Parameters:
///   - request: What to fetch; it should have sorts.
///   - context: Where to fetch.
///   - properties: The names of properties, or paths through to-one relationships.
///   - expected: The table, as ``GraphTable/description`` writes it.
/// - Throws: ``BehaviourFailure``, which shows the lines that differ, or the error of the fetch.
public func assertGraph<Object: ManagedObject>(
  _ request: FetchRequest<Object>,
  in context: ManagedObjectContext,
  properties: [String],
  _ expected: String
) throws {
  let table = try GraphTable(of: request, in: context, properties: properties)
  let difference = GraphDifference(
    expected: expected,
    found: table.description
  )
  if !difference.isEmpty { throw BehaviourFailure(difference.description) }
}

/// The lines in which two tables differ.
struct GraphDifference: CustomStringConvertible {
  private let lines: [(mark: String, text: String)]

  init(expected: String, found: String) {
    let (old, new) = (Self.lines(of: expected), Self.lines(of: found))
    let difference = new.map(Self.normalised).difference(from: old.map(Self.normalised))
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var lines: [(String, String)] = []
    var (left, right) = (0, 0)
    while left < old.count || right < new.count {
      if removed.contains(left) {
        lines.append(("-", old[left]))
        left += 1
      } else if inserted.contains(right) {
        lines.append(("+", new[right]))
        right += 1
      } else {
        lines.append((" ", new[right]))
        (left, right) = (left + 1, right + 1)
      }
    }
    self.lines = lines
  }

  var isEmpty: Bool { lines.allSatisfy { $0.mark == " " } }

  var description: String {
    "The graph differs: '-' is expected, '+' is found.\n"
      + lines.map { "\($0.mark) \($0.text)" }.joined(separator: "\n")
  }

  private static func lines(of text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private static func normalised(_ line: String) -> String {
    line.split(separator: " ").joined(separator: " ")
  }
}
