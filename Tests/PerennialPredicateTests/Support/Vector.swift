// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// One line of `vectors.json`.
struct Vector: Decodable, Sendable {
  let id: Int
  let format: String
  let args: [JSONValue]
  let object: JSONValue
  let expect: JSONValue
  let vars: [String: JSONValue]?

  private enum CodingKeys: CodingKey { case id, format, args, object, expect, vars }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id =
      try container.decodeIfPresent(Int.self, forKey: .id) ?? decoder.codingPath.last?.intValue ?? 0
    format = try container.decode(String.self, forKey: .format)
    args = try container.decodeIfPresent([JSONValue].self, forKey: .args) ?? []
    object = try container.decodeIfPresent(JSONValue.self, forKey: .object) ?? .null
    expect = try container.decode(JSONValue.self, forKey: .expect)
    vars = try container.decodeIfPresent([String: JSONValue].self, forKey: .vars)
  }

  /// The line, short.
  var testDescription: String { "\(id): \(format)" }

  /// What the vector expects, as text.
  var expectation: String {
    switch expect {
    case .boolean(let value): "\(value)"
    case .string(let text): text
    default: "?"
    }
  }
}

extension Vector {
  private static let foreignFile =
    ProcessInfo.processInfo.environment["PERENNIAL_PREDICATE_VECTORS"]

  private static let loaded = Result {
    let fixture = Bundle.module.url(
      forResource: "vectors",
      withExtension: "json",
      subdirectory: "Fixtures"
    )
    guard let url = foreignFile.map({ URL(filePath: $0) }) ?? fixture else {
      throw CocoaError(.fileNoSuchFile)
    }
    return try JSONDecoder().decode([Vector].self, from: Data(contentsOf: url))
  }

  /// Whether the vectors come from a file that the environment names.
  static var areForeign: Bool { foreignFile != nil }

  /// All vectors; none when the file cannot be read.
  static var all: [Vector] { (try? loaded.get()) ?? [] }

  /// Why the file cannot be read.
  static var problem: String? {
    if case .failure(let error) = loaded { "\(error)" } else { nil }
  }
}
