// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// A part of the library in which a wrong line loses data or gives wrong answers.
struct Area {
  let name: String
  /// Folders and files below Sources.
  private(set) var places: [String]

  /// The areas of a checkout, which Tests/Coverage/Areas.txt lists: `make coverage` looks at the same.
  static func all(in checkout: URL) throws -> [Area] {
    let list = try Data(contentsOf: checkout.appending(path: "Tests/Coverage/Areas.txt"))
    var areas: [Area] = []
    for line in String(decoding: list, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      let place = words[1]
      if areas.last?.name == words[0] {
        areas[areas.count - 1].places.append(place)
      } else {
        areas.append(Area(name: words[0], places: [place]))
      }
    }
    return areas
  }

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
      return names.filter { $0.hasSuffix(".swift") }.sorted().map { path + $0 }
    }
  }
}
