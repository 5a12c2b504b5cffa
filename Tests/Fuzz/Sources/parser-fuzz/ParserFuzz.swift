// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
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
/// `parser-fuzz --help` tells the command line, whose arguments are libFuzzer's but for two.
///
/// Safe because libFuzzer lends its bytes for the call that reads them.
@main
enum ParserFuzz {
  static func main() throws {
    let arguments = CommandLine.arguments
    if arguments.dropFirst().first == "--help" { _ = tool.argumentsOrExit(["--help"]) }
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

  /// What the help page tells; libFuzzer reads the command line.
  private static let tool = CommandLineTool(
    "parser-fuzz",
    summary: "Feeds the parser of predicates with texts that libFuzzer makes.",
    commands: [
      Command(
        "",
        summary: "Feeds the parser of predicates with texts that libFuzzer makes.",
        discussion: """
          A text that the parser reads must be printed, read again and evaluated, with the same \
          result. 'make fuzz' builds the program, makes the first corpus and runs it.

          With --help and --seed the program does not run libFuzzer, which reads all other arguments.
          """,
        examples: [
          "--seed Tests/PerennialPredicateTests/Fixtures/vectors.json .build/fuzz-corpus":
            "write the formats of the shared vectors as a first corpus",
          ".build/fuzz-corpus -max_total_time=60 -dict=Tests/Fuzz/format.dict": "a minute",
          ".build/fuzz-crash-1234": "try a text again",
        ],
        sections: [
          HelpSection(
            .other("Arguments"),
            [
              "--seed VECTORS FOLDER": "write a first corpus into a folder, and end",
              "FOLDER ...": "where texts are taken from; new ones go into the first",
              "FILE ...": "texts to try again, instead",
              "-max_total_time=N": "end after N seconds",
              "-max_len=N": "the longest text in bytes",
              "-timeout=N": "how many seconds a text may take",
              "-dict=FILE": "the words that texts are made of",
              "-artifact_prefix=PATH": "what the file of a text begins with that was read wrongly",
              "-help=1": "libFuzzer's other options",
            ]
          ),
          .exitCodes([
            .success: "no text was read wrongly; libFuzzer has codes of its own for those that were"
          ]),
        ]
      )
    ]
  )

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
