// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

@Managed final class ZooAnimal: ManagedObject {
  var name: String
  var classification: String
}

/// Writes down what a results controller reports.
private final class Reports: FetchedResultsControllerDelegate {
  typealias Element = ZooAnimal
  private(set) var lines: [String] = []

  func controllerWillChangeContent(_ controller: FetchedResultsController<ZooAnimal>) {
    lines.append("will change")
  }

  func controller(
    _ controller: FetchedResultsController<ZooAnimal>,
    didChange sectionInfo: FetchedResultsSectionInfo<ZooAnimal>,
    atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) {
    lines.append("\(type) section \(sectionIndex) \(sectionInfo.name)")
  }

  func controller(
    _ controller: FetchedResultsController<ZooAnimal>,
    didChange anObject: ZooAnimal,
    at indexPath: IndexPath?,
    for type: FetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {
    let places = [indexPath, newIndexPath].compactMap { $0.map { "\($0[0]).\($0[1])" } }
    lines.append("\(type) \(places.joined(separator: " to "))")
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<ZooAnimal>) {
    lines.append("did change")
  }
}

/// What the picture of a results controller shows.
@Suite("Guide: results")
struct ResultsGuideTests {
  @Test(arguments: StoreKind.allCases)
  func `the picture's report is that of its save`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try PersistentContainer(
      name: "Zoo",
      entities: ZooAnimal.self,
      store: kind.description(in: folder)
    )
    let context = container.newBackgroundContext()
    func add(_ name: String, _ classification: String) -> ZooAnimal {
      let animal = ZooAnimal(context: context)
      (animal.name, animal.classification) = (name, classification)
      return animal
    }
    let parrot = add("Parrot", "Bird")
    let gecko = add("Gecko", "Reptile")
    _ = (add("Elephant", "Mammal"), add("Tiger", "Mammal"))
    try context.save()
    let controller = FetchedResultsController(
      fetchRequest: ZooAnimal.sorted(by: \.name),
      managedObjectContext: context,
      sectionNameKeyPath: "classification"
    )
    let reports = Reports()
    controller.delegate = reports
    try controller.performFetch()

    context.delete(parrot)
    gecko.classification = "Mammal"
    _ = add("Carp", "Fish")
    try context.save()

    #expect(
      reports.lines == [
        "will change", "delete section 2 Reptile", "delete section 0 Bird", "insert section 0 Fish",
        "delete 0.0", "insert 0.0", "move 2.0 to 1.1", "did change",
      ]
    )
  }
}
