// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

/// libFuzzer's own main function, for programs that have one: it never returns.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Feeds the parser with texts that libFuzzer makes.
///
/// `parser-fuzz --seed VECTORS FOLDER` writes the formats of the shared vectors as a first corpus; any
/// other arguments are libFuzzer's.
///
/// Safe because libFuzzer lends its bytes for the call that reads them.
@main
enum ParserFuzz {
  static func main() throws {
    let arguments = CommandLine.arguments
    if arguments.count == 4, arguments[1] == "--seed" {
      return try writeCorpus(URL(filePath: arguments[2]), to: URL(filePath: arguments[3]))
    }
    var count = CommandLine.argc
    var values = CommandLine.unsafeArgv
    exit(
      runFuzzer(&count, &values) { start, count in
        let bytes = UnsafeBufferPointer(start: start, count: count)
        ParserFuzz.check(String(decoding: bytes, as: UTF8.self))
        return 0
      }
    )
  }

  /// Ends the program where a text is read, printed or evaluated wrongly.
  private static func check(_ text: String) {
    let arguments: [(any Sendable)?] = ["a", 1]
    guard
      let predicate = (try? FetchPredicate(parsing: text))
        ?? (try? FetchPredicate(parsing: text, arguments: arguments)),
      let node = try? predicate.checked()
    else { return }
    precondition(node.depth() <= maximumPredicateDepth, "too deep")
    let printed = predicate.description
    guard let copy = try? FetchPredicate(parsing: printed) else {
      fatalError("the printed predicate is refused: \(printed)")
    }
    precondition(copy.description == printed, "printed otherwise: \(copy), not \(printed)")
    precondition(copy == predicate || printed.contains("nan"), "another tree: \(printed)")
    for object in objects {
      _ = try? predicate.evaluate(with: object, substitutionVariables: ["x": 1])
    }
  }

  private static let objects: [(any Sendable)?] = [
    nil, ["a": 1], ["a": ["x", "y"], "b": ["c": 2.5]] as [String: any Sendable],
  ]

  // MARK: Corpus

  private struct Vector: Decodable {
    let format: String
  }

  private static func writeCorpus(_ vectors: URL, to folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let list = try JSONDecoder().decode([Vector].self, from: Data(contentsOf: vectors))
    for (number, vector) in list.enumerated() {
      try Data(vector.format.utf8).write(to: folder.appending(path: "vector-\(number)"))
    }
  }
}
