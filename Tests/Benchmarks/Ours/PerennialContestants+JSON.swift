// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// J1 to J4: the JSON store beside Foundation's coders, on the same file.

extension PerennialContestants {
  static func json(_ operation: Operation) -> [Contestant] {
    switch operation {
    case .jsonOpen: [jsonOpen(.ours), decode(.yardstick), deserialize]
    case .jsonSave: [jsonSave, encode]
    case .jsonSavingMemory: [jsonOpenAndSave, structs]
    default: [jsonOpen(.ours), structs]
    }
  }

  private static func container(json file: URL) throws -> PersistentContainer {
    try PersistentContainer(
      name: "Benchmark",
      entities: Commit.self,
      Author.self,
      store: .json(file)
    )
  }

  /// The JSON store beside a trial's file, made of the workload when it is not there yet.
  private static func jsonFile(of trial: Trial) throws -> URL {
    let file = trial.file.appendingPathExtension("json")
    if FileManager.default.fileExists(atPath: file.path) { return file }
    let context = try container(json: file).newBackgroundContext()
    _ = try insert(context, trial.workload)
    return file
  }

  /// Opens the store and counts.
  private static func jsonOpen(_ role: Contestant.Role) -> Contestant {
    Contestant(role: role, check: .count) { trial in
      let file = try jsonFile(of: trial)
      return {
        let container = try container(json: file)
        return UInt64(try container.newBackgroundContext().count(for: Commit.all))
      }
    }
  }

  /// The file as structs.
  private static func decode(_ role: Contestant.Role) -> Contestant {
    Contestant(role: role, check: .count) { trial in
      let file = try jsonFile(of: trial)
      return { UInt64(try JSONDocument(file).entities.commits.count) }
    }
  }

  /// The file as dictionaries: what a reader on top of `JSONSerialization` would begin with.
  private static var deserialize: Contestant {
    Contestant(role: .variant("JSONSerialization"), check: .count) { trial in
      let file = try jsonFile(of: trial)
      return {
        let document =
          try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        let entities = document?["entities"] as? [String: Any]
        return UInt64((entities?["Commit"] as? [Any])?.count ?? 0)
      }
    }
  }

  /// Saves one changed object, which writes the whole file.
  private static var jsonSave: Contestant {
    Contestant(role: .ours, check: .count) { trial in
      let file = try jsonFile(of: trial)
      let container = try container(json: file)
      let context = container.newBackgroundContext()
      let commit = try context.first(Commit.all)
      return {
        defer { withExtendedLifetime(container) {} }
        commit?.message += "!"
        try context.save()
        return UInt64(trial.rows)
      }
    }
  }

  /// Opens the store, and saves one changed object.
  private static var jsonOpenAndSave: Contestant {
    Contestant(role: .ours, check: .count) { trial in
      let file = try jsonFile(of: trial)
      return {
        let context = try container(json: file).newBackgroundContext()
        let commit = try context.first(Commit.all)
        commit?.message += "!"
        try context.save()
        return UInt64(try context.count(for: Commit.all))
      }
    }
  }

  /// Encodes the file's structs and writes them.
  private static var encode: Contestant {
    Contestant(role: .yardstick, check: .count) { trial in
      let document = try JSONDocument(jsonFile(of: trial))
      let file = trial.file.appendingPathExtension("raw")
      return {
        try JSONEncoder().encode(document).write(to: file, options: .atomic)
        return UInt64(document.entities.commits.count)
      }
    }
  }

  /// The objects as structs of Swift, and nothing else.
  private static var structs: Contestant {
    Contestant(role: .yardstick, check: .count) { trial in
      { UInt64(Workload(rows: trial.rows).commits.count) }
    }
  }
}

/// The file of a JSON store as somebody would read it who knows its model.
private struct JSONDocument: Codable {
  struct Author: Codable {
    var key: Int64
    var version: Int
    var email: String
    var name: String

    enum CodingKeys: String, CodingKey {
      case key = "_key"
      case version = "_version"
      case email, name
    }
  }

  struct Commit: Codable {
    var key: Int64
    var version: Int
    var date: String
    var message: String
    var sha: String
    var url: String
    var author: Int64?

    enum CodingKeys: String, CodingKey {
      case key = "_key"
      case version = "_version"
      case date, message, sha, url, author
    }
  }

  struct Entities: Codable {
    var authors: [Author]
    var commits: [Commit]

    enum CodingKeys: String, CodingKey {
      case authors = "Author"
      case commits = "Commit"
    }
  }

  var entities: Entities

  init(_ file: URL) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
  }
}
