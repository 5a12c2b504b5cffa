// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// What happened in a context, as a value that may go anywhere.
public enum ContextEvent: Sendable, Hashable {
  /// Objects changed: an event ended.
  case objectsDidChange(ObjectChanges)
  /// A save begins.
  case willSave
  /// A save has succeeded; all IDs are permanent.
  case didSave(ObjectChanges)
  /// Changes that others saved have been merged.
  case didMerge(ObjectChanges)

  init(_ notice: Listeners.Notice) {
    switch notice {
    case .objectsDidChange(let changes): self = .objectsDidChange(changes.objectIDs)
    case .willSave: self = .willSave
    case .didSave(let changes): self = .didSave(changes.objectIDs)
    case .didSaveObjectIDs(let changes): self = .didSave(changes)
    case .didMerge(let changes): self = .didMerge(changes)
    }
  }
}
