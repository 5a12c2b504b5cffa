// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

/// The ordered side of a link that is declared first.
private final class Playlist: ManagedObject, ManagedEntity {
  var tunes: OrderedToMany<Tune> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Playlist.self,
        named: "Playlist",
        superclass: ManagedObject.self,
        properties: [
          .of("name", String.self, default: ""),
          .of("tunes", OrderedToMany<Tune>.self, inverse: "playlists"),
        ]
      )
    }
    return Storage.entity
  }
}

private final class Tune: ManagedObject, ManagedEntity {
  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Tune.self,
        named: "Tune",
        superclass: ManagedObject.self,
        properties: [
          .of("name", String.self, default: ""),
          .of("playlists", ToMany<Playlist>.self, inverse: "tunes"),
        ]
      )
    }
    return Storage.entity
  }
}

@Suite("SEMANTICS 1D.4: refresh and the order of members")
struct RefreshingOrderTests {
  /// What a program does to a relationship before a refresh.
  enum Change: CaseIterable {
    case leaving, leavingAndComingBack

    /// Whether the object is in again afterwards.
    var comesBack: Bool { self == .leavingAndComingBack }
  }

  private func bench(_ kind: StoreKind) throws -> Bench {
    let model = try ManagedObjectModel(entities: PModel.classes.map { $0.entity })
    return try Bench(kind, model: model, classes: PModel.classes)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 a refreshed member is back at its place in its owner`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let box = PBox(context: context)
    let nodes = (0..<3).map { _ in PNode(context: context) }
    box.items = OrderedToMany(nodes)
    try context.save()
    nodes[0].box = nil
    context.refresh(nodes[0], mergeChanges: false)
    #expect(!context.hasChanges && context.updatedObjects.isEmpty)
    #expect(Array(box.items) == nodes)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 an owner that a refreshed member had come to has no changes`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let boxes = [PBox(context: context), PBox(context: context)]
    let nodes = (0..<3).map { _ in PNode(context: context) }
    boxes[0].items = OrderedToMany(nodes)
    try context.save()
    nodes[0].box = boxes[1]
    context.refresh(nodes[0], mergeChanges: false)
    #expect(!context.hasChanges && context.updatedObjects.isEmpty)
    #expect(Array(boxes[0].items) == nodes && boxes[1].items.isEmpty)
  }

  @Test(arguments: StoreKind.allCases, Change.allCases)
  func `1D.4 a refresh restores the order of pairs of the first side of a link`(
    _ kind: StoreKind,
    _ change: Change
  ) throws {
    let model = try ManagedObjectModel(entities: [Playlist.entity, Tune.entity])
    let bench = try Bench(kind, model: model, classes: [Playlist.self, Tune.self])
    let context = bench.context()
    let playlist = Playlist(context: context)
    let tunes = [Tune(context: context), Tune(context: context)]
    playlist.tunes = OrderedToMany(tunes)
    try context.save()
    playlist.tunes.remove(tunes[0])
    if change.comesBack { playlist.tunes.append(tunes[0]) }
    context.refresh(playlist, mergeChanges: false)
    #expect(!context.hasChanges && context.updatedObjects.isEmpty)
    #expect(Array(playlist.tunes) == tunes)
  }

  @Test(arguments: StoreKind.allCases, Change.allCases)
  func `1D.4 a refresh restores the order of pairs of the second side of a link`(
    _ kind: StoreKind,
    _ change: Change
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let tag = PTag(context: context)
    let nodes = [PNode(context: context), PNode(context: context)]
    tag.nodes = OrderedToMany(nodes)
    try context.save()
    tag.nodes.remove(nodes[0])
    if change.comesBack { tag.nodes.append(nodes[0]) }
    context.refresh(tag, mergeChanges: false)
    #expect(!context.hasChanges && context.updatedObjects.isEmpty)
    #expect(Array(tag.nodes) == nodes)
  }
}
