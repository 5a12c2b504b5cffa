// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore

/// A store, what is saved in it, and the drivers of the contexts on it.
///
/// All contexts know of every save at once: their oracles are then what is saved, with their own
/// pending changes on top. Contexts that are children have one parent, and saved is what that has.
final class GraphWorld {
  let coordinator: StoreCoordinator
  private let folder: URL
  private(set) var drivers: [GraphDriver] = []
  var committed = GraphOracle()
  var ids: [Int: ManagedObjectID] = [:]
  private(set) var saveCount = 0
  private var nextID = 0
  /// Whether the drivers leave out an inverse.
  var hasDefect = false

  init(_ kind: StoreKind, contexts count: Int = 1, depth: Int = 0) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let model = try ManagedObjectModel(entities: PModel.classes.map { $0.entity })
    coordinator = StoreCoordinator(
      store: try kind.open(model.layout, in: folder),
      classes: Dictionary(uniqueKeysWithValues: PModel.classes.map { ($0.entityName, $0) })
    )
    var ancestors: [ManagedObjectContext] = []
    for _ in 0..<depth { ancestors.insert(context(below: ancestors.first), at: 0) }
    for _ in 0..<count {
      let driver = GraphDriver(self, context(below: ancestors.first), ancestors)
      driver.context.automaticallyMergesChangesFromParent = depth == 0 || count > 1
      drivers.append(driver)
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func context(below parent: ManagedObjectContext?) -> ManagedObjectContext {
    parent.map { ManagedObjectContext(parent: $0) }
      ?? ManagedObjectContext(coordinator: coordinator)
  }

  /// Runs a step in the context that it names.
  func run(_ turn: GraphTurn) throws { try drivers[turn.context % drivers.count].run(turn.step) }

  func check() throws {
    for (number, driver) in drivers.enumerated() {
      do {
        try driver.check()
      } catch let mismatch as GraphMismatch {
        throw GraphMismatch("context \(number): \(mismatch.text)")
      }
    }
  }

  func newID(_ id: ManagedObjectID) -> Int {
    defer { nextID += 1 }
    ids[nextID] = id
    return nextID
  }

  /// Makes a graph the saved one, and lets the other contexts know.
  func commit(_ oracle: GraphOracle, of saver: GraphDriver?) throws {
    let others = drivers.enumerated().filter { $0.element !== saver }
    let edits = others.map { $0.element.pendingEdits() }
    saveCount += 1
    let base = committed
    committed = oracle
    for ((number, driver), edits) in zip(others, edits) {
      try driver.catchUp(from: base, edits, way: saveCount + number)
    }
  }
}

/// A step in one of the contexts.
struct GraphTurn: Sendable {
  let context: Int
  let step: GraphStep
}

/// The seeded defect: what a graph that forgot its inverses would do.
extension GraphDriver {
  func setWithoutInverse(_ id: Int, _ relationship: PRelationship, _ other: Int?) throws {
    let object = try object(id)
    if let target = try other.map({ try self.object($0) }) {
      let entity = try world.coordinator.store.model.entity(named: target.objectID.entityName)
      let reference = ObjectReference(key: target.objectID.key, entity: entity.index)
      object._store(.word(UInt64(bitPattern: reference.word)), relationship.place)
    } else {
      object._store(.null, relationship.place)
    }
    oracle.setOne(id, relationship, other)
  }
}
