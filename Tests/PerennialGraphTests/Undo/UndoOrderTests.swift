// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

/// A context with an undo manager, and a box of three saved nodes.
private struct OrderScene {
  let bench: Bench
  let context: ManagedObjectContext
  let box: PBox
  let nodes: [PNode]

  init(_ kind: StoreKind) throws {
    bench = try Bench(
      kind,
      model: ManagedObjectModel(entities: PModel.classes.map { $0.entity }),
      classes: PModel.classes
    )
    context = bench.context()
    box = PBox(context: context)
    nodes = [PNode(context: context), PNode(context: context), PNode(context: context)]
    box.items = OrderedToMany(nodes)
    try context.save()
    context.undoManager = ContextUndoManager()
  }
}

@Suite("SEMANTICS 1D: undo and the order of members")
struct UndoOrderTests {
  @Test(arguments: StoreKind.allCases, 0..<3)
  func `1D.7 undoing the deletion of an ordered member leaves no changes`(
    _ kind: StoreKind,
    _ place: Int
  ) throws {
    let scene = try OrderScene(kind)
    scene.context.delete(scene.nodes[place])
    try scene.context.processPendingChanges()
    #expect(scene.box.items.count == 2)
    scene.context.undo()
    #expect(Array(scene.box.items) == scene.nodes && scene.nodes[place].box === scene.box)
    #expect(!scene.context.hasChanges && !scene.box.hasChanges)
  }

  @Test(arguments: StoreKind.allCases, 0..<3)
  func `1D.7 a new order is there again, though members were asked for after the deletion`(
    _ kind: StoreKind,
    _ place: Int
  ) throws {
    let scene = try OrderScene(kind)
    let nodes = Array(scene.nodes.reversed())
    scene.box.items = OrderedToMany(nodes)
    try scene.context.processPendingChanges()
    scene.context.delete(nodes[place])
    _ = scene.box.items.count
    try scene.context.processPendingChanges()
    #expect(scene.box.items.count == 2)
    scene.context.undo()
    #expect(Array(scene.box.items) == nodes)
  }
}
