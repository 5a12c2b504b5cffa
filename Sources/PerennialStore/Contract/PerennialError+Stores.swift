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
  package static func incompatible(_ file: String?, _ entities: [String]) -> PerennialError {
    let names = entities.map { "'\($0)'" }.joined(separator: ", ")
    let verb = entities.count == 1 ? "differs" : "differ"
    let store = file.map { "The store '\($0)'" } ?? "The store"
    let remains = file == nil ? "it" : "the file"
    return PerennialError(
      .incompatibleVersionHash,
      "\(store) was written with another version of the model: \(names) \(verb).",
      recovery: "open it with the model that wrote it; \(remains) has been left as it is",
      entity: entities.first
    )
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
}
