// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// A topic with its notes, which go with it.
@Managed final class Topic: ManagedObject {
  @Unique var title: String
  @Relationship(deleteRule: .cascade) var notes: ToMany<Note>
  @Attribute(derived: "notes.@count") var noteCount: Int
}

/// A note of a topic.
@Managed final class Note: ManagedObject {
  var text: String
  var number: Int = 0
  var picture: Data?
  var topic: Topic?
  var labels: ToMany<Label>
}

/// A label of many notes.
@Managed final class Label: ManagedObject {
  @Unique var name: String
  var notes: ToMany<Note>
}

extension PersistentContainer {
  /// A store of notes with a history.
  static func notebook(_ store: StoreDescription) throws -> PersistentContainer {
    var store = store
    store.historyTracking = true
    return try PersistentContainer(
      name: "Notebook",
      entities: Topic.self,
      Note.self,
      Label.self,
      store: store
    )
  }
}
