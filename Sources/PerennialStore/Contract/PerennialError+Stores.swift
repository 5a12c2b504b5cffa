// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// What a store was doing when something failed.
package enum StoreActivity: Sendable {
  case opening
  case reading
  case saving

  package var words: String {
    switch self {
    case .opening: "opening"
    case .reading: "reading"
    case .saving: "writing"
    }
  }
}

extension PerennialError {
  /// A store, by the name of its file if it has one, of another version of the model.
  package static func incompatible(
    _ file: String?,
    _ entities: [String],
    recovery: String? = nil
  ) -> PerennialError {
    let names = entities.map { "'\($0)'" }.joined(separator: ", ")
    let verb = entities.count == 1 ? "differs" : "differ"
    let remains = file == nil ? "it" : "the file"
    return PerennialError(
      .incompatibleVersionHash,
      "\(incompatible(file)): \(names) \(verb).",
      recovery: recovery
        ?? "open it with the model that wrote it; \(remains) has been left as it is",
      entity: entities.first
    )
  }

  /// A store that could be migrated, but must not be; the changes that would have to be made.
  package static func incompatible(
    _ file: String?,
    _ changes: [MigrationChange],
    recovery: String
  ) -> PerennialError {
    let shown = changes.prefix(shownChangeCount).map(\.description).joined(separator: "; ")
    let rest = changes.count - shownChangeCount
    let more = rest > 0 ? "; and \(rest) more" : ""
    return PerennialError(
      .incompatibleVersionHash,
      "\(incompatible(file)): \(shown)\(more).",
      recovery: recovery,
      entity: changes.first?.entity,
      property: changes.first?.property,
      problems: changes.map { change in
        PerennialError(
          .inferredMappingModel,
          "\(change).",
          recovery: change.advice,
          entity: change.entity,
          property: change.property
        )
      }
    )
  }

  /// How many differences a message lists.
  private static let shownChangeCount = 5

  /// Core Data's sentence, and the store.
  private static func incompatible(_ file: String?) -> String {
    let sentence =
      "The model used to open the store is incompatible with the one used to create the store"
    return file.map { "\(sentence) '\($0)'" } ?? sentence
  }

  /// A store, by the name of its file if it has one, that is only read.
  package static func readOnly(_ file: String?) -> PerennialError {
    PerennialError(
      .persistentStoreSave,
      "\(file.map { "The store '\($0)'" } ?? "The store") was opened without the right to write.",
      recovery: "open it without 'isReadOnly'"
    )
  }

  /// A copy that would take the place of a file.
  package static func fileExists(_ name: String) -> PerennialError {
    PerennialError(
      .persistentStoreSave,
      "There is a file '\(name)' already.",
      recovery: "name one that does not exist, or destroy it first"
    )
  }

  /// A copy whose folder is not there, or cannot take it.
  package static func cannotWriteCopy(
    _ name: String,
    underlying: (any Error)? = nil
  ) -> PerennialError {
    PerennialError(
      .persistentStoreSave,
      "The copy '\(name)' cannot be written.",
      recovery: "see that its folder exists and can be written, and that the disk has room",
      underlying: underlying
    )
  }

  /// A copy whose large values would lie in the store's own folder of them: a save of either takes them from both.
  package static func sharedValues(_ copy: String, with store: String) -> PerennialError {
    PerennialError(
      .persistentStoreSave,
      "The copy '\(copy)' would have the files of large values in common with the store '\(store)'.",
      recovery: "give it another name before its extension, or another folder"
    )
  }
}
