// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel

/// A copy of a graph that is kept up by its events only.
///
/// It looks at the objects that events name, and at no others: whatever they fail to tell makes it
/// differ from the graph.
final class EventMirror {
  /// The values of an object, with other objects by identity.
  private struct Copy: Equatable {
    var attributes: [String?] = []
    var toOnes: [ObjectIdentifier?] = []
    var toManys: [[ObjectIdentifier]] = []

    init(_ object: ManagedObject) throws {
      let entity = object.entityDescription.name
      for key in entity == "PNode" ? ["name", "number"] : ["name"] {
        attributes.append(try object.value(forKey: key).map { "\($0)" })
      }
      for relationship in PModel.relationships[entity] ?? [] {
        guard relationship.isToMany else {
          toOnes.append(try object.object(forKey: relationship.name).map(ObjectIdentifier.init))
          continue
        }
        let members = try object.objects(forKey: relationship.name).map(ObjectIdentifier.init)
        toManys.append(relationship.isOrdered ? members : members.sorted())
      }
    }
  }

  private var copies: [ManagedObject: Copy] = [:]
  private var error: (any Error)?
  private var token: NoticeToken?

  /// A mirror of a context that has no objects yet.
  init(_ context: ManagedObjectContext) {
    token = context.onObjectsDidChange { [unowned self] in take($0) }
  }

  private func take(_ changes: ChangedObjects) {
    do {
      for object in changes.inserted.union(changes.updated).union(changes.refreshed) {
        copies[object] = try Copy(object)
      }
      for object in changes.deleted { copies[object] = nil }
    } catch {
      self.error = error
    }
  }

  /// Compares the mirror with the objects that are live.
  func check(_ objects: [ManagedObject]) throws {
    if let error { throw error }
    guard Set(objects) == Set(copies.keys) else {
      throw GraphMismatch("\(copies.count) objects by events, not \(objects.count)")
    }
    for object in objects where try copies[object] != Copy(object) {
      throw GraphMismatch("the events did not tell a change of \(object.objectID)")
    }
  }
}
