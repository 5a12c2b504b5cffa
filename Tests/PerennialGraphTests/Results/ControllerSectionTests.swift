// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1K.4, 1K.7: sections and batches of results controllers")
struct ControllerSectionTests {
  @Test(arguments: StoreKind.allCases)
  func `1K.7 a list in batches loads what is looked at (scenario 61)`(kind: StoreKind) throws {
    let names = (100..<400).map(String.init)
    let stage = try ResultsStage(kind, names.joined(separator: " "))
    let context = stage.bench.context()
    context.automaticallyMergesChangesFromParent = true
    let mirror = ListMirror<Commit>(name: { $0.sha }, text: { _ in "" })
    let controller = FetchedResultsController(
      fetchRequest: Commit.sorted(by: \.message).batchSize(20),
      managedObjectContext: context
    )
    controller.delegate = mirror
    try controller.performFetch()
    #expect(context.registeredObjects.isEmpty)
    #expect(controller.object(at: [0, 41]).sha == "141")
    #expect(context.registeredObjects.count == 20)
    #expect(controller.fetchedObjects?.count == 300)
    #expect(controller.sections?.first?.objects.count == 300)
    #expect(context.registeredObjects.count == 20)
    let other = stage.bench.context()
    for name in ["150", "250"] { other.delete(try stage.commit(name, in: other)) }
    try other.save()
    try context.processPendingChanges()
    #expect(context.registeredObjects.count <= 22)
    #expect(mirror.told.filter { $0.hasPrefix("delete") }.count == 2)
    #expect(controller.object(at: [0, 50]).sha == "151")
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.4 sections stand together whatever the sort is (scenario 62)`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind)
    let (ann, bob) = (stage.author("ann"), stage.author("bob"))
    for (name, author) in [("d", ann), ("c", bob), ("b", ann), ("a", bob)] {
      stage.add(name, by: author)
    }
    stage.add("e")
    try stage.context.save()
    let (controller, mirror) = try stage.list(
      Commit.sorted(by: \.message, .reverse),
      sectionedBy: "author.name"
    )
    #expect(ResultsStage.words(controller) == "e | ann: d b | bob: c a")
    try stage.commit("e").author = bob
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "section delete  0", "move e 0.0 1.0", "did"])
    #expect(ResultsStage.words(controller) == "ann: d b | bob: e c a")
    let (falling, _) = try stage.list(
      Commit.all.sorted(by: FetchSort("author.name", ascending: false)).sorted(by: \.message),
      sectionedBy: "author.name"
    )
    #expect(ResultsStage.words(falling) == "bob: a c e | ann: b d")
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.1 a transient attribute makes sections where their first rows are`(
    kind: StoreKind
  ) throws {
    let stage = try ResultsStage(kind, "a b c d")
    let commits = try stage.context.fetch(Commit.sorted(by: \.message))
    for (commit, number) in zip(commits, [2, 1, 2, 0]) { commit.scratch = number }
    let (controller, mirror) = try stage.list(sectionedBy: "scratch")
    #expect(ResultsStage.words(controller) == "2: a c | 1: b | 0: d")
    commits[1].scratch = 2
    stage.add("e")
    try stage.context.processPendingChanges()
    #expect(
      mirror.takeTold() == [
        "will", "section delete 1 1", "insert e - 1.1", "move b 1.0 0.1", "did",
      ]
    )
    #expect(ResultsStage.words(controller) == "2: a b c | 0: d e")
    #expect(mirror.complaints == [])
    let unsorted = code { _ = try stage.context.results(Commit.all, sectionedBy: "scratch") }
    #expect(unsorted == .invalidRequest)
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.4 titles of an index are first letters, equal ones kept (scenarios 63 and 64)`(
    kind: StoreKind
  ) throws {
    let stage = try ResultsStage(kind)
    let names = ["green", "pale", "pink", "violet", "white", "übel"]
    for name in names { stage.add(name, by: stage.author(name)) }
    try stage.context.save()
    let (controller, _) = try stage.list(sectionedBy: "author.name")
    #expect(controller.sectionIndexTitles == ["G", "P", "P", "V", "W", "Ü"])
    #expect(controller.sections?.map(\.indexTitle) == ["G", "P", "P", "V", "W", "Ü"])
    #expect(controller.section(forSectionIndexTitle: "P", at: 2) == 2)
    #expect(controller.section(forSectionIndexTitle: "W", at: 4) == 4)
    #expect(controller.section(forSectionIndexTitle: "V", at: 0) == 3)
    #expect(controller.section(forSectionIndexTitle: "?", at: 99) == 5)
    #expect(controller.section(forSectionIndexTitle: "?", at: -1) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.4 a delegate chooses the titles of the index`(kind: StoreKind) throws {
    final class Titles: FetchedResultsControllerDelegate {
      func controller(
        _ controller: FetchedResultsController<Commit>,
        sectionIndexTitleForSectionName sectionName: String
      ) -> String? { sectionName == "a" ? "first" : nil }
    }
    let stage = try ResultsStage(kind, "a b")
    let titles = Titles()
    let (controller, _) = try stage.list(sectionedBy: "message")
    controller.delegate = titles
    #expect(controller.sectionIndexTitles == ["first", "B"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.4 without a key path there is one section, also an empty one (scenario 65)`(
    kind: StoreKind
  ) throws {
    let stage = try ResultsStage(kind)
    let (controller, mirror) = try stage.list()
    #expect(controller.sections?.map(\.numberOfObjects) == [0])
    #expect(controller.sections?.map(\.name) == [""])
    let (sectioned, _) = try stage.list(sectionedBy: "message")
    #expect(sectioned.sections?.isEmpty == true)
    stage.add("a")
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "insert a - 0.0", "did"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.4 section keys that are nil, empty, or equal up to case`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind)
    stage.add("1", by: stage.author(""))
    stage.add("2")
    stage.add("3", by: stage.author("b"))
    stage.add("4", by: stage.author("B"))
    stage.add("5", by: stage.author("b"))
    try stage.context.save()
    let (controller, _) = try stage.list(sectionedBy: "author.name")
    #expect(ResultsStage.words(controller) == "2 1 | B: 4 | b: 3 5")
    let (folded, mirror) = try stage.list(
      Commit.all.sorted(by: FetchSort("author.name", comparison: .caseInsensitive))
        .sorted(by: \.message),
      sectionedBy: "author.name"
    )
    #expect(ResultsStage.words(folded) == "2 1 | B: 4 | b: 3 5")
    stage.add("0", by: stage.author("B"))
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "insert 0 - 1.0", "did"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.4 values of every kind name sections`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind)
    for (number, size) in [nil, 0.5, -0.0, 2].enumerated() {
      let commit = stage.add("c\(number)")
      commit.size = size
      commit.date = Date(timeIntervalSinceReferenceDate: Double(number / 2))
      commit.kind = number == 3 ? .merge : .normal
    }
    try stage.context.save()
    #expect(
      ResultsStage.words(try stage.list(sectionedBy: "size").0)
        == "c0 | 0.0: c2 | 0.5: c1 | 2.0: c3"
    )
    #expect(
      ResultsStage.words(try stage.list(sectionedBy: "date").0)
        == "2001-01-01T00:00:00.000Z: c0 c1 | 2001-01-01T00:00:01.000Z: c2 c3"
    )
    #expect(
      ResultsStage.words(try stage.list(sectionedBy: "kind").0) == "merge: c3 | normal: c0 c1 c2"
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.4 infinite dates name sections, too`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind)
    let dates: [(String, Double)] = [("a", -.infinity), ("b", 0), ("c", .infinity)]
    for (name, seconds) in dates {
      stage.add(name).date = Date(timeIntervalSinceReferenceDate: seconds)
    }
    try stage.context.save()
    let (controller, mirror) = try stage.list(sectionedBy: "date")
    let words = ResultsStage.words(controller)
    #expect(words == "-inf: a | 2001-01-01T00:00:00.000Z: b | inf: c")
    stage.add("d").date = Date(timeIntervalSinceReferenceDate: .infinity)
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "insert d - 2.1", "did"])
    #expect(controller.sections?.map(\.name).last == "inf")
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.6 a cache name is accepted, and nothing depends on it (scenario 66)`(kind: StoreKind)
    throws
  {
    let stage = try ResultsStage(kind, "a b")
    let controller = FetchedResultsController(
      fetchRequest: Commit.sorted(by: \.message),
      managedObjectContext: stage.context,
      sectionNameKeyPath: "message",
      cacheName: "Root"
    )
    #expect(controller.cacheName == "Root")
    try controller.performFetch()
    controller.fetchRequest.predicate = "message == 'b'"
    FetchedResultsController<Commit>.deleteCache(withName: "Root")
    try controller.performFetch()
    #expect(ResultsStage.words(controller) == "b: b")
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.4 names that only Swift takes for equal are those of two sections`(
    kind: StoreKind
  ) throws {
    let stage = try ResultsStage(kind)
    stage.add("composed", at: "\u{E9}")
    stage.add("f")
    let decomposed = stage.add("decomposed", at: "e\u{301}")
    try stage.context.save()
    let (controller, mirror) = try stage.list(sectionedBy: "message")
    let names = { controller.sections?.map { $0.objects.map(\.sha) } }
    #expect(names() == [["decomposed"], ["f"], ["composed"]])
    decomposed.url = "new"
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "update decomposed 0.0 0.0", "did"])
    #expect(names() == [["decomposed"], ["f"], ["composed"]])
    stage.add("last", at: "\u{E9}")
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "insert last - 2.1", "did"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.5 a delegate that comes later says the titles of sections (scenario 63)`(kind: StoreKind)
    throws
  {
    final class Titles: FetchedResultsControllerDelegate {
      func controller(
        _ controller: FetchedResultsController<Commit>,
        sectionIndexTitleForSectionName sectionName: String
      ) -> String? { "first" }
    }
    let stage = try ResultsStage(kind, "a")
    let controller = try stage.context.results(Commit.sorted(by: \.message), sectionedBy: "message")
    #expect(controller.sections?.first?.indexTitle == "A")
    let titles = Titles()
    controller.delegate = titles
    #expect(controller.sections?.first?.indexTitle == "first")
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.7 windows and batches may be as large as numbers are`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind, "a b c")
    let request = Commit.sorted(by: \.message).limit(.max).batchSize(.max)
    let (controller, _) = try stage.list(request)
    let (rest, _) = try stage.list(request.offset(2))
    let (none, _) = try stage.list(request.offset(.max))
    #expect(controller.object(at: [0, 0]).sha == "a")
    stage.add("aa")
    try stage.context.processPendingChanges()
    #expect(ResultsStage.words(controller) == "a aa b c")
    #expect(ResultsStage.words(rest) == "b c")
    #expect(ResultsStage.words(none) == "")
    try stage.list(request.offset(1)).0.performFetch()
  }
}
