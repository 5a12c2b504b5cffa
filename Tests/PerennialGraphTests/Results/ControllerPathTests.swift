// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

/// Lists that look at objects beyond relationships with unsaved changes.
@Suite("SEMANTICS 1K.6: lists and what their paths lead to")
struct ControllerPathTests {
  /// Nodes of a tree whose list is sorted by the names of their grandparents.
  private struct Tree {
    let context: ManagedObjectContext
    private let bench: Bench

    init(_ kind: StoreKind) throws {
      let model = try ManagedObjectModel(entities: PModel.classes.map { $0.entity })
      bench = try Bench(kind, model: model, classes: PModel.classes)
      context = bench.context()
    }

    func node(_ name: String, under parent: PNode? = nil) throws -> PNode {
      let node = PNode(context: context)
      try node.setValue(name, forKey: "name")
      Tree.move(node, under: parent)
      return node
    }

    static func move(_ node: PNode, under parent: PNode?) { node._setTarget(2, parent) }

    func list() throws -> (FetchedResultsController<PNode>, ListMirror<PNode>) {
      let controller = FetchedResultsController(
        fetchRequest: PNode.filter("parent.parent != nil")
          .sorted(by: FetchSort("parent.parent.name")),
        managedObjectContext: context
      )
      let mirror = ListMirror<PNode>(name: Tree.name, text: Tree.name)
      controller.delegate = mirror
      try controller.performFetch()
      mirror.reload(controller)
      return (controller, mirror)
    }

    static func name(_ node: PNode) -> String {
      (try? node.value(forKey: "name")) as? String ?? "?"
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.6 a row moves with the end of a path whose middle is not saved (scenario 59)`(
    kind: StoreKind
  ) throws {
    let tree = try Tree(kind)
    let (a, b, c) = (try tree.node("a"), try tree.node("b"), try tree.node("c"))
    let middle = try tree.node("middle", under: a)
    _ = try tree.node("row", under: middle)
    _ = try tree.node("other", under: try tree.node("other middle", under: b))
    try tree.context.save()
    let (controller, mirror) = try tree.list()
    #expect(controller.fetchedObjects?.map(Tree.name) == ["row", "other"])
    Tree.move(middle, under: c)
    try tree.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "move row 0.0 0.1", "did"])
    try c.setValue("aa", forKey: "name")
    try tree.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "move row 0.1 0.0", "did"])
    try c.setValue("ab", forKey: "name")
    try tree.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "update row 0.0 0.0", "did"])
    #expect(mirror.complaints.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.6 a row whose relationship is not saved is updated with what it leads to`(
    kind: StoreKind
  ) throws {
    let stage = try ResultsStage(kind, "a b")
    let (ann, bob) = (stage.author("ann"), stage.author("bob"))
    try stage.commit("a").author = ann
    try stage.context.save()
    let (controller, mirror) = try stage.list(
      Commit.all.sorted(by: FetchSort("author.name")).sorted(by: \.message)
    )
    try stage.commit("b").author = bob
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "move b 0.0 0.1", "did"])
    bob.name = "bobby"
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "update b 0.1 0.1", "did"])
    #expect(ResultsStage.words(controller) == "a b")
  }

  /// What takes back what an object's values were.
  enum TakingBack: CaseIterable {
    case rollback
    case refresh
  }

  @Test(arguments: StoreKind.allCases, TakingBack.allCases)
  func `1K.6 an owner's values that are taken back with its members count (scenario 55)`(
    kind: StoreKind,
    way: TakingBack
  ) throws {
    let stage = try ResultsStage(kind, "a b")
    let (ann, bob) = (stage.author("ann"), stage.author("bob"))
    try stage.commit("a").author = ann
    try stage.commit("b").author = bob
    try stage.context.save()
    let (controller, mirror) = try stage.list(Commit.all.sorted(by: FetchSort("author.name")))
    ann.name = "zoe"
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "move a 0.0 0.1", "did"])
    stage.add("c", by: ann)
    switch way {
    case .rollback: stage.context.rollback()
    case .refresh: stage.context.refresh(ann, mergeChanges: false)
    }
    try stage.context.processPendingChanges()
    let fetched = try stage.context.fetch(controller.fetchRequest).map(\.sha)
    #expect(controller.fetchedObjects?.map(\.sha) == fetched)
    #expect(fetched.filter { $0 != "c" } == ["a", "b"])
    #expect(mirror.sections.flatMap(\.rows).map(\.object.sha) == fetched)
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.6 partners whom a refresh gives back are told (1E.1, scenario 55)`(kind: StoreKind)
    throws
  {
    let stage = try ResultsStage(kind)
    let context = stage.context
    let badges = ["A", "B"].map { text in
      let badge = Badge(context: context)
      badge.text = text
      badge.team = Team(context: context)
      return badge
    }
    try context.save()
    let team = try #require(badges[0].team)
    let controller = try context.results(Badge.filter("team == nil").sorted(by: FetchSort("text")))
    let mirror = ListMirror<Badge>(name: { $0.text }, text: { $0.text })
    controller.delegate = mirror
    team.badge = badges[1]
    try context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "insert A - 0.0", "did"])
    var refreshed: Set<ManagedObject> = []
    let token = context.onObjectsDidChange { refreshed.formUnion($0.refreshed) }
    context.refresh(team, mergeChanges: false)
    try context.processPendingChanges()
    withExtendedLifetime(token) {}
    // The team that had it has lost it, which is not saved.
    #expect(try context.fetch(controller.fetchRequest).map(\.text) == ["B"])
    #expect(controller.fetchedObjects?.map(\.text) == ["B"])
    #expect(mirror.takeTold() == ["will", "delete A 0.0 -", "insert B - 0.0", "did"])
    #expect(refreshed.contains(badges[0]))
  }
}
