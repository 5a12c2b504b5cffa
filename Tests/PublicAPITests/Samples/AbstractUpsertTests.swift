// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Objects of an abstract class can be found by a value, but none is inserted.
@Suite("Upserts of abstract classes")
struct AbstractUpsertTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ kind: StoreKind) throws -> PersistentContainer {
    try PersistentContainer(
      name: "Animals",
      entities: Puppy.self,
      store: kind.description(in: folder)
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `findOrInsert finds objects of subentities, and throws when there is none`(
    _ kind: StoreKind
  ) throws {
    let container = try open(kind)
    let context = container.newBackgroundContext()
    let puppy = Puppy(context: context)
    puppy.name = "Bit"
    #expect(try context.findOrInsert(Animal.self, where: \.name, equals: "Bit") === puppy)
    try context.save()
    #expect(try context.findOrInsert(Animal.self, where: \.name, equals: "Bit") === puppy)

    let reader = container.newBackgroundContext()
    let found = try reader.findOrInsert(Animal.self, where: \.name, equals: "Bit")
    #expect(found.objectID == puppy.objectID && found is Puppy)
    let error = try failure {
      _ = try reader.findOrInsert(Animal.self, where: \.name, equals: "Rex")
    }
    #expect(error.code == .invalidModel && error.code.rawValue == 134_020)
    #expect(error.entity == "Animal")
    #expect(!reader.hasChanges)
    try reader.save()
    #expect(try reader.count(for: Animal.all) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `an upsert finds objects of subentities, and throws for a key that none has`(
    _ kind: StoreKind
  ) throws {
    let container = try open(kind)
    let context = container.newBackgroundContext()
    let (dog, puppy) = (Dog(context: context), Puppy(context: context))
    (dog.name, puppy.name) = ("Rex", "Bit")
    try context.save()
    func upsert(_ names: [String]) throws -> [Animal] {
      try context.upsert(Animal.self, from: names, matching: \.name, \.self) { animal, name in
        animal.name = name
      }
    }
    let expected: [Animal] = [puppy, dog, puppy]
    #expect(try upsert(["Bit", "Rex", "Bit"]) == expected)
    #expect(!context.hasChanges)
    let error = try failure { _ = try upsert(["Rex", "Tom"]) }
    #expect(error.code == .invalidModel && error.entity == "Animal")
    #expect(!context.hasChanges)
    #expect(try context.count(for: Animal.all) == 2)
  }
}
