// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import PerennialModelFiles
import Testing

/// A model file of `Models`, and the model of the classes that the plug-in has generated from it.
struct GeneratedModel: Sendable, CustomTestStringConvertible {
  let name: String
  let model: @Sendable () throws -> ManagedObjectModel

  init(_ name: String, _ model: @escaping @Sendable () throws -> ManagedObjectModel) {
    self.name = name
    self.model = model
  }

  var testDescription: String { name }

  func document() throws -> ModelDocument {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Models")
    return try ModelDocument(contentsOf: folder.appending(path: name))
  }

  /// The public models, whose origin and licence `PerennialModelFilesTests/Fixtures/models/INDEX.md`
  /// tells, and the models made for these tests.
  static let all: [GeneratedModel] = [
    .init("01-Model_2.xcdatamodel") { try _01Model_2.model() },
    .init("02-iOS_Example.xcdatamodel") { try _02IOS_Example.model() },
    .init("03-Moody_5.xcdatamodel") { try _03Moody_5.model() },
    .init("04-GeneratedFlowModel.xcdatamodel") { try _04GeneratedFlowModel.model() },
    .init("06-265.xcdatamodel") { try _06265.model() },
    .init("07-Model_1.xcdatamodel") { try _07Model_1.model() },
    .init("08-Contacts.xcdatamodel") { try _08Contacts.model() },
    .init("09-BookmarksModel_4.xcdatamodel") { try _09BookmarksModel_4.model() },
    .init("10-test.xcdatamodel") { try _10Test.model() },
    .init("14-ShoppingList.xcdatamodel") { try _14ShoppingList.model() },
    .init("15-SampleModel.xcdatamodel") { try _15SampleModel.model() },
    .init("16-CDEStoreModificationEventTestsModel.xcdatamodel") {
      try _16CDEStoreModificationEventTestsModel.model()
    },
    .init("19-TestModel.xcdatamodel") { try _19TestModel.model() },
    .init("21-Model.xcdatamodel") { try _21Model.model() },
    .init("22-Model.xcdatamodel") { try _22Model.model() },
    .init("23-Model.xcdatamodel") { try _23Model.model() },
    .init("24-Storage.xcdatamodel") { try _24Storage.model() },
    .init("25-Model.xcdatamodel") { try _25Model.model() },
    .init("28-PerformanceModel.xcdatamodel") { try _28PerformanceModel.model() },
    .init("29-Model_2.xcdatamodel") { try _29Model_2.model() },
    .init("30-Model.xcdatamodel") { try _30Model.model() },
    .init("31-Model.xcdatamodel") { try _31Model.model() },
    .init("32-ManyAToManyB.xcdatamodel") { try _32ManyAToManyB.model() },
    .init("33-Example.xcdatamodel") { try _33Example.model() },
    .init("35-XMPPRoom.xcdatamodel") { try _35XMPPRoom.model() },
    .init("37-TestModel.xcdatamodel") { try _37TestModel.model() },
    .init("39-v2.xcdatamodel") { try _39V2.model() },
    .init("40-Model.xcdatamodel") { try _40Model.model() },
    .init("Library.xcdatamodeld") { try LibraryModel.model() },
    .init("Names.xcdatamodel") { try Names_.model() },
  ]
}

@Suite struct `Generated classes` {
  @Test func `are made of every model file in the folder`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Models")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.sorted() == GeneratedModel.all.map(\.name).sorted())
  }

  @Test(arguments: GeneratedModel.all)
  func `give the model of the file`(_ generated: GeneratedModel) throws {
    let expected = try generated.document().model
    let model = try generated.model()
    #expect(model.entityVersionHashesByName == expected.entityVersionHashesByName)
    #expect(model.fetchRequestTemplates == expected.fetchRequestTemplates)
    #expect(model.configurations == expected.configurations)
    #expect(model.entities.count == expected.entities.count)
    for (entity, wanted) in zip(model.entities, expected.entities) {
      #expect(entity.properties.count == wanted.properties.count)
      for (property, other) in zip(entity.properties, wanted.properties) {
        #expect(property == other)
      }
      var rest = entity
      rest.properties = wanted.properties
      #expect(rest == wanted)
    }
  }
}
