// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// A part of the library in which a wrong line loses data or gives wrong answers.
struct Area {
  let name: String
  /// Folders and files below Sources.
  let places: [String]

  static let all: [Area] = [
    Area(name: "parser", places: ["PerennialPredicate/Format"]),
    Area(
      name: "sql",
      places: ["PerennialSQL/Conditions", "PerennialSQL/Statements", "PerennialSQLite/SQL"]
    ),
    Area(
      name: "save",
      places: [
        "PerennialGraph/UnitOfWork", "PerennialSQL/Saving",
        "PerennialSQLite/Store/SaveTransaction.swift", "PerennialSQLite/Store/OrderWriter.swift",
      ]
    ),
    Area(name: "merge", places: ["PerennialGraph/Merging", "PerennialModel/Conflicts"]),
    Area(name: "json", places: ["PerennialJSON/Writing", "PerennialJSON/Files"]),
  ]

  /// The modules that the places are in.
  var modules: [String] { places.map { String($0.prefix { $0 != "/" }) } }

  /// The source files, relative to a checkout, in the order of their names.
  func files(in folder: URL) throws -> [String] {
    try places.flatMap { place -> [String] in
      let path = "Sources/\(place)"
      if place.hasSuffix(".swift") { return [path] }
      let names = try FileManager.default.subpathsOfDirectory(
        atPath: folder.appending(path: path).path()
      )
      return names.filter { $0.hasSuffix(".swift") }.sorted().map { "\(path)/\($0)" }
    }
  }
}
