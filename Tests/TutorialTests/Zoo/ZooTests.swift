// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import Testing

@Managed final class Animal: ManagedObject {
  var name: String
  var classification: String
}

/// The zoo tutorial: animals in sections by their classification.
@Suite("The zoo tutorial")
@MainActor
struct ZooTests {
  /// The animals' list, with those who live in the zoo at first.
  @MainActor
  private final class Zoo {
    let container: PersistentContainer
    let list: ListScreen<Animal>
    private let folder: TemporaryFolder

    init(_ kind: StoreKind) throws {
      folder = try TemporaryFolder()
      container = try PersistentContainer(
        name: "Zoo",
        entities: Animal.self,
        store: kind.description(in: folder)
      )
      let context = container.viewContext
      for (name, classification) in [
        ("Tiger", "Mammal"), ("Parrot", "Bird"), ("Elephant", "Mammal"), ("Gecko", "Reptile"),
      ] {
        let animal = Animal(context: context)
        animal.name = name
        animal.classification = classification
      }
      try context.save()

      var request = FetchRequest<Animal>(entityName: "Animal")
      request.sortDescriptors = [
        FetchSort("classification", ascending: true), FetchSort("name", ascending: true),
      ]
      let controller = FetchedResultsController(
        fetchRequest: request,
        managedObjectContext: context,
        sectionNameKeyPath: "classification",
        cacheName: "zoo"
      )
      list = try ListScreen(controller) { $0.name }
    }

    var controller: FetchedResultsController<Animal> { list.controller }
    var sectionNames: [String]? { controller.sections?.map(\.name) }

    func add(_ name: String, _ classification: String) {
      let animal = Animal(context: container.viewContext)
      animal.name = name
      animal.classification = classification
    }

    func animal(_ name: String) throws -> Animal {
      try #require(try container.viewContext.first(Animal.filter("name == \(name)")))
    }

    func delete(_ name: String) throws { container.viewContext.delete(try animal(name)) }

    func save() throws { try container.viewContext.save() }
  }

  @Test(arguments: StoreKind.allCases)
  func `animals are in sections by classification`(_ kind: StoreKind) throws {
    let zoo = try Zoo(kind)
    #expect(zoo.sectionNames == ["Bird", "Mammal", "Reptile"])
    #expect(zoo.list.rows == [["Parrot"], ["Elephant", "Tiger"], ["Gecko"]])
    #expect(zoo.controller.sections?.map(\.numberOfObjects) == [1, 2, 1])
    #expect(zoo.controller.object(at: [1, 1]).name == "Tiger")
    #expect(zoo.controller.indexPath(forObject: try zoo.animal("Gecko")) == [2, 0])
  }

  @Test(arguments: StoreKind.allCases)
  func `the last animal of a section takes the section with it`(_ kind: StoreKind) throws {
    let zoo = try Zoo(kind)
    try zoo.delete("Parrot")
    try zoo.save()
    #expect(
      zoo.list.takeReports() == ["begin", "delete section Bird 0", "delete 0.0 -", "end"]
    )
    #expect(zoo.sectionNames == ["Mammal", "Reptile"])
    #expect(zoo.list.rows == [["Elephant", "Tiger"], ["Gecko"]])
  }

  @Test(arguments: StoreKind.allCases)
  func `an animal that is not the last leaves its section in place`(_ kind: StoreKind) throws {
    let zoo = try Zoo(kind)
    try zoo.delete("Tiger")
    try zoo.save()
    #expect(zoo.list.takeReports() == ["begin", "delete 1.1 -", "end"])
    #expect(zoo.list.rows == [["Parrot"], ["Elephant"], ["Gecko"]])
  }

  @Test(arguments: StoreKind.allCases)
  func `a new classification inserts its section before its animal`(_ kind: StoreKind) throws {
    let zoo = try Zoo(kind)
    zoo.add("Carp", "Fish")
    try zoo.save()
    #expect(
      zoo.list.takeReports() == ["begin", "insert section Fish 1", "insert Carp - 1.0", "end"]
    )
    #expect(zoo.sectionNames == ["Bird", "Fish", "Mammal", "Reptile"])
    #expect(zoo.list.rows == [["Parrot"], ["Carp"], ["Elephant", "Tiger"], ["Gecko"]])
  }

  @Test(arguments: StoreKind.allCases)
  func `an animal that is classified anew changes its section`(_ kind: StoreKind) throws {
    let zoo = try Zoo(kind)
    try zoo.animal("Gecko").classification = "Bird"
    try zoo.save()
    #expect(
      zoo.list.takeReports() == ["begin", "delete section Reptile 2", "move Gecko 2.0 0.0", "end"]
    )
    #expect(zoo.list.rows == [["Gecko", "Parrot"], ["Elephant", "Tiger"]])
  }

  @Test(arguments: StoreKind.allCases)
  func `sections are told before animals in one batch`(_ kind: StoreKind) throws {
    let zoo = try Zoo(kind)
    try zoo.delete("Parrot")
    zoo.add("Carp", "Fish")
    zoo.add("Frog", "Amphibian")
    try zoo.save()
    #expect(
      zoo.list.takeReports() == [
        "begin", "delete section Bird 0", "insert section Amphibian 0", "insert section Fish 1",
        "delete 0.0 -", "insert Frog - 0.0", "insert Carp - 1.0", "end",
      ]
    )
    #expect(zoo.list.rows == [["Frog"], ["Carp"], ["Elephant", "Tiger"], ["Gecko"]])
  }

  @Test(arguments: StoreKind.allCases)
  func `the index has a title for every section`(_ kind: StoreKind) throws {
    let zoo = try Zoo(kind)
    #expect(zoo.controller.sectionIndexTitles == ["B", "M", "R"])
    #expect(zoo.controller.section(forSectionIndexTitle: "M", at: 1) == 1)
    #expect(zoo.controller.sections?.map(\.indexTitle) == ["B", "M", "R"])
    zoo.add("Carp", "Fish")
    try zoo.save()
    #expect(zoo.controller.sectionIndexTitles == ["B", "F", "M", "R"])
    #expect(zoo.controller.section(forSectionIndexTitle: "M", at: 2) == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `a table view accepts the updates of every batch`(_ kind: StoreKind) async throws {
    let zoo = try Zoo(kind)
    var changes = zoo.controller.changes.makeAsyncIterator()
    let first = try #require(await changes.next())
    #expect(first.isInitial)
    var replica = ResultsReplica(first.after)

    let gecko = try zoo.animal("Gecko")
    try zoo.delete("Parrot")
    gecko.classification = "Mammal"
    zoo.add("Carp", "Fish")
    try zoo.save()
    let change = try #require(await changes.next())
    try replica.apply(change.tableUpdates)
    #expect(replica.matches(change.after))
    #expect(replica.sections.map(\.name) == ["Fish", "Mammal"])
    #expect(replica.sections.map(\.objectIDs.count) == [1, 3])
  }
}
