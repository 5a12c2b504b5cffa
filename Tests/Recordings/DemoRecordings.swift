// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import ProgramTesting

/// A history is imported, searched and counted.
struct CommitsRecording {
  func frames() async throws -> [Frame] {
    let stage = try Stage()
    let history = try await stage.program("demo-repo")
      .run("demo", "--commits", "2000", "--seed", "4")
    guard history.status == 0 else { throw Stage.Failed(output: history.errors) }
    try await stage.run("commits", ["import", "demo"], seconds: 2)
    try await stage.run("commits", ["list", "--fixes", "--limit", "5"], seconds: 4)
    let format = "author.name BEGINSWITH 'J'"
    try await stage.run("commits", ["list", "--where", format, "--limit", "4"], seconds: 5)
    try await stage.run("commits", ["stats"], seconds: 5)
    return stage.frames
  }
}

/// A family's movies, and a list that follows what another terminal does.
struct MoviesRecording {
  private static let file = """
    {"family": ["Ann", "Ben"], "movies": [
    {"title": "The Lantern Keeper", "popularity": 41.7, "familyMembers": ["Ann", "Ben"]},
    {"title": "Salt & Thunder", "popularity": 23.9, "familyMembers": ["Ben"]},
    {"title": "Été à Ostende", "popularity": 8.2, "familyMembers": ["Ann"]}
    ]}
    """

  func frames() async throws -> [Frame] {
    let stage = try Stage()
    try Data(Self.file.utf8).write(to: stage.folder.appending(path: "movies.json"))
    let movies = stage.program("movies")
    try await stage.run("movies", ["import", "movies.json"], seconds: 2)
    let format = "popularity > 10 AND ANY familyMembers.name == 'Ann'"
    try await stage.run("movies", ["list", "--where", format], seconds: 4)
    try await stage.watch("movies", ["watch"]) { terminal in
      stage.show(try await terminal.screen { $0.contains("Ostende") }, seconds: 3)
      for (member, title) in [("Ben", "The Paper Fleet"), ("Cleo", "Night Bus to Ghent")] {
        if member == "Cleo" { _ = try await movies.run("family", "add", member) }
        _ = try await movies.run("add", member, title)
        stage.show(
          try await terminal.screen { $0.contains(title) },
          besides: "movies add \(member) '\(title)'",
          seconds: 4
        )
      }
    }
    return stage.frames
  }
}

extension TerminalScreen {
  fileprivate func contains(_ text: String) -> Bool { self.text.contains { $0.contains(text) } }
}
