// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// A numbered scenario of `cases.md`: two lists, what changed, and the events in their order.
struct ResultsCase: Decodable, CustomTestStringConvertible {
  struct Section: Decodable {
    let name: String
    let objects: [String]

    init(from decoder: any Decoder) throws {
      var values = try decoder.unkeyedContainer()
      name = try values.decode(String.self)
      objects = try values.decode([String].self)
    }
  }

  /// `[kind, object, old path, new path]`, or `[kind, section, section name]`.
  enum Event: Decodable, Hashable {
    case section(kind: String, place: Int, name: String)
    case row(kind: String, object: String, old: [Int]?, new: [Int]?)

    init(from decoder: any Decoder) throws {
      var values = try decoder.unkeyedContainer()
      let kind = try values.decode(String.self)
      if kind.hasPrefix("section-") {
        let place = try values.decode(Int.self)
        self = .section(kind: kind, place: place, name: try values.decode(String.self))
      } else {
        let object = try values.decode(String.self)
        let old = try values.decodeIfPresent([Int].self)
        self = .row(
          kind: kind,
          object: object,
          old: old,
          new: try values.decodeIfPresent([Int].self)
        )
      }
    }
  }

  let id: Int
  let title: String
  let old: [Section]
  let new: [Section]
  let changed: [String]
  let events: [Event]

  var testDescription: String { "\(id). \(title)" }

  /// The scenarios of the fixture, or of the file that `PERENNIAL_RESULTS_CASES` names.
  static func all() throws -> [ResultsCase] {
    let other = ProcessInfo.processInfo.environment["PERENNIAL_RESULTS_CASES"]
    let url =
      other.map { URL(fileURLWithPath: $0) }
      ?? Bundle.module.bundleURL.appending(path: "Fixtures/results-cases.json")
    return try JSONDecoder().decode([ResultsCase].self, from: Data(contentsOf: url))
  }
}
