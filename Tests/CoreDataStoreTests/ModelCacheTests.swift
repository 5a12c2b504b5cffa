// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialModelCache
import PerennialModelFiles
import Testing

@testable import PerennialSQLite

@Suite("Models that Core Data keeps in its stores, and compiled ones")
struct ModelCacheTests {
  /// The stores that keep their model; `magicalrecord-recipes` is older than that.
  static let names = [
    "bnr-books", "carekit-2.0", "coredataplus-sample1-v1", "coredataplus-sample1-v2",
    "coredataplus-sample2-v2", "coredataplus-sample3-v1", "ddg-bookmarks-v1", "ddg-bookmarks-v4",
  ]

  @Test(arguments: names)
  func `a model in a store is that of the model file`(_ name: String) throws {
    let corpus = try CorpusStore.named(name)
    let copy = try StoreFolder(corpus)
    let before = try copy.contents()
    let document = try ModelDocument(cachedIn: copy.store)
    #expect(try copy.contents() == before)
    let model = try corpus.model()
    #expect(document.model.entities.map(\.name) == model.entities.map(\.name))
    for (found, expected) in zip(document.model.entities, model.entities) {
      #expect(found.parent == expected.parent)
      #expect(found.isAbstract == expected.isAbstract)
      #expect(found.uniquenessConstraints == expected.uniquenessConstraints)
      let indexes = found.indexes.filter { $0.name != Self.dropped[name] }
      #expect(
        indexes.sorted { $0.name < $1.name } == expected.indexes.sorted { $0.name < $1.name }
      )
      // CareKit's store was made with a model of other default values.
      let comparable = { Self.comparable($0, withDefaults: name != "carekit-2.0") }
      let sorted = expected.properties.sorted { $0.name < $1.name }.map(comparable)
      #expect(found.properties.map(\.name) == sorted.map(\.name), "\(found.name)")
      for (property, known) in zip(found.properties.map(comparable), sorted) {
        #expect(property == known, "\(found.name).\(property.name)")
      }
    }
  }

  /// Indexes that a model had when its store was made, and which the model file has lost since.
  private static let dropped = ["ddg-bookmarks-v4": "isPendingDeletion"]

  /// A property without its rules: an archive has them as conditions.
  private static func comparable(
    _ property: PropertyDescription,
    withDefaults hasDefaults: Bool
  ) -> PropertyDescription {
    switch property {
    case .attribute(var attribute):
      attribute.validation = ValidationRules()
      if !hasDefaults { attribute.defaultValue = .null }
      return .attribute(attribute)
    case .relationship(let relationship): return .relationship(relationship)
    }
  }

  @Test func `derived attributes, fetched properties and conditions are read`() throws {
    let copy = try StoreFolder(.named("coredataplus-sample2-v2"))
    let document = try ModelDocument(cachedIn: copy.store)
    let book = try #require(document.model.entitiesByName["Book"])
    let count = try #require(book.attribute("pagesCount"))
    #expect(count.derivationExpression == "pages.@count")
    #expect(count.type == .int64 && count.isOptional)
    #expect(book.uniquenessConstraints == [["uniqueID"]])
    let title = try #require(book.attribute("title"))
    #expect(
      title.validation.predicates == [
        ValidationPredicate(
          "length >= 3 AND length <= 50",
          message: "Title must have a length between 3 and 50 chars."
        ),
        ValidationPredicate("SELF CONTAINS 'title'", message: "Title must contain 'title'."),
      ]
    )
    #expect(book.attribute("frontCover")?.renamingIdentifier == "cover")
    #expect(book.attribute("frontCover")?.valueTransformerName == "CoverTransformer")
    let author = try #require(document.model.entitiesByName["Author"])
    #expect(author.parent == "Writer")
    #expect(author.properties.map(\.name) == ["alias", "books"])
    #expect(
      author.fetchedProperties.map(\.fetchRequest.predicate) == [
        "authorAlias == $FETCH_SOURCE.alias AND comment CONTAINS[c] $FETCHED_PROPERTY.userInfo.search",
        "authorAlias == $FETCH_SOURCE.alias",
      ]
    )
    #expect(
      document.model.entitiesByName["GraphicNovel"]?.properties.map(\.name) == ["isBlackAndWhite"]
    )
    #expect(document.model.entitiesByName["Writer"]?.isAbstract == true)
    #expect(document.classes["Page"]?.name == "PageV2")
    #expect(
      document.model.configurations == ["SampleConfigurationV2Part1", "SampleConfigurationV2Part2"]
    )
    #expect(
      document.diagnostics.map(\.description) == [
        "'Book.frontCover': its default is left out",
        "the fetch request 'feedbacks': its order is left out",
      ]
    )
  }

  @Test func `proxies of inherited properties are followed`() throws {
    let file = Bundle.module.url(
      forResource: "Proxies",
      withExtension: "mom",
      subdirectory: "Fixtures"
    )
    let copy = try StoreFolder(.named("coredataplus-sample2-v2"))
    #expect(
      try ManagedObjectModel(contentsOf: #require(file)) == ManagedObjectModel(cachedIn: copy.store)
    )
  }

  @Test func `a store that keeps no model says so`() throws {
    let copy = try StoreFolder(.named("magicalrecord-recipes"))
    let before = try copy.contents()
    let error = #expect(throws: PerennialError.self) {
      _ = try ManagedObjectModel(cachedIn: copy.store)
    }
    #expect(error?.code == .persistentStoreOpen)
    #expect(error?.message.contains("'store.sqlite' keeps no copy of its model") == true)
    #expect(try copy.contents() == before)
  }

  @Test(arguments: ["coredataplus-sample1-v1", "coredataplus-sample3-v1"])
  func `a compiled model has the hashes that its folder names`(_ name: String) throws {
    let folder = try CorpusStore.named(name).folder
    let list = try PropertyListSerialization.propertyList(
      from: Data(contentsOf: folder.appending(path: "VersionInfo.plist")),
      format: nil
    )
    let info = try #require(list as? [String: Any])
    let hashes = try #require(
      info["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]]
    )
    let checksums = info["NSManagedObjectModel_VersionChecksums"] as? [String: String]
    #expect(hashes.count == 3)
    for (version, expected) in hashes {
      let file = folder.appending(path: version + ".mom")
      let model = try ManagedObjectModel(contentsOf: file)
      #expect(model.entityVersionHashesByName == expected, "\(version)")
      guard let checksums else { continue }
      #expect(model.layout.versionHashes.checksum == checksums[version], "\(version)")
    }
  }

  @Test func `a folder of compiled models has versions, one of them in use`() throws {
    let source = try CorpusStore.named("coredataplus-sample1-v1").folder
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "\(UUID().uuidString).momd")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in try FileManager.default.contentsOfDirectory(atPath: source.path)
    where name.hasSuffix(".mom") || name.hasSuffix(".plist") {
      try FileManager.default.copyItem(
        at: source.appending(path: name),
        to: folder.appending(path: name)
      )
    }
    let file = try ModelFile(contentsOf: folder)
    #expect(file.versionNames == ["SampleModel", "SampleModel2", "SampleModel3"])
    let current = try file.current()
    #expect(file.versionNames.contains(current.name))
    let first = try file.version(named: "SampleModel")
    let xml = try ManagedObjectModel(contentsOf: source.appending(path: "model.xcdatamodel"))
    #expect(first.model.entityVersionHashesByName == xml.entityVersionHashesByName)
    try FileManager.default.removeItem(at: folder.appending(path: "VersionInfo.plist"))
    let error = #expect(throws: PerennialError.self) { try file.current() }
    #expect(error?.message.contains("'VersionInfo.plist'") == true)
  }
}

extension EntityDescription {
  func attribute(_ name: String) -> AttributeDescription? {
    for case .attribute(let attribute) in properties where attribute.name == name {
      return attribute
    }
    return nil
  }
}
