// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

extension ManagedObjectModel {
  /// Notes of writers, in two configurations.
  static func notes() throws(PerennialError) -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: [
        EntityDescription(
          "Note",
          properties: [
            .attribute("title", .string), .toOne("writer", "Writer", inverse: "notes"),
          ]
        ),
        EntityDescription(
          "Writer",
          properties: [
            .attribute("name", .string),
            .toMany("notes", "Note", inverse: "writer", ordered: true),
            .toMany("friends", "Writer", inverse: "admirers"),
            .toMany("admirers", "Writer", inverse: "friends"),
          ]
        ),
        EntityDescription("Draft", properties: [.attribute("title", .string)]),
      ],
      configurations: ["Shared": ["Note", "Writer"], "Own": ["Draft"]]
    )
  }
}

extension ManagedObjectContext {
  /// Saves notes of one writer.
  func addNotes(_ titles: [String], of name: String) throws {
    let writer = try insert(entityNamed: "Writer")
    try writer.setValue(name, forKey: "name")
    for title in titles {
      let note = try insert(entityNamed: "Note")
      try note.setValue(title, forKey: "title")
      try note.setObject(writer, forKey: "writer")
    }
    try save()
  }

  /// The titles of all notes, with the names of their writers.
  func notes() throws -> [String] {
    var request = FetchRequest<ManagedObject>(entityName: "Note")
    request.sortDescriptors = [FetchSort("title")]
    return try fetch(request).map { note in
      let writer = try note.object(forKey: "writer")
      return
        "\(try note.value(forKey: "title") ?? "-") by \(try writer?.value(forKey: "name") ?? "-")"
    }
  }
}
