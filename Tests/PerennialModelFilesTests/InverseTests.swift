// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialModelFiles
import Testing

@Suite("Relationships of model files without an inverse")
struct InverseTests {
  private let user = """
    <entity name="User"><attribute name="n" optional="YES" attributeType="String"/>
    <relationship name="manager" optional="YES" maxCount="1" deletionRule="Nullify" \
    destinationEntity="User"/>
    <relationship name="bestFriend" optional="YES" maxCount="1" deletionRule="Nullify" \
    destinationEntity="User"/></entity>
    """

  private func inverses(_ model: ManagedObjectModel) -> [String: String?] {
    var inverses: [String: String?] = [:]
    for entity in model.entities {
      for case .relationship(let relationship) in entity.properties {
        inverses[relationship.name] = .some(relationship.inverse)
      }
    }
    return inverses
  }

  @Test func `have none, whatever fits`() throws {
    let document = try ModelDocument(modelFile(user))
    #expect(inverses(document.model) == ["manager": nil, "bestFriend": nil])
    // By FORMAT, computed apart from Perennial.
    let hash = try #require(document.model.entityVersionHashesByName["User"])
    #expect(
      hash.map { String(format: "%02x", $0) }.joined()
        == "b9602093fc347058591bda8688de9ad668b20547b702bd9045892eb5cdbed6b1"
    )
  }

  @Test func `have none when their model is written, encoded, merged, or made anew`() throws {
    let model = try ModelDocument(modelFile(user)).model
    let encoded = try JSONEncoder().encode(model)
    for copy in [
      try ModelDocument(ModelDocument(model, named: "Copy").contents).model,
      try JSONDecoder().decode(ManagedObjectModel.self, from: encoded),
      try ManagedObjectModel(merging: [model]), try ManagedObjectModel(entities: model.entities),
    ] {
      #expect(inverses(copy) == ["manager": nil, "bestFriend": nil])
    }
  }

  @Test func `are told with their lines`() throws {
    let document = try ModelDocument(modelFile(user))
    #expect(document.diagnostics.map(\.line) == [4, 5])
    #expect(
      document.diagnostics.allSatisfy { $0.message.contains("has no inverse") }
    )
  }

  @Test func `are told to generated classes, too`() throws {
    let source = try ModelDocument(modelFile(user)).swiftSource().text
    for name in ["manager", "bestFriend"] {
      #expect(
        source.contains("entity.changeRelationship(\"\(name)\") { $0.infersInverse = false }")
      )
    }
  }

  @Test func `have one that the other side names`() throws {
    let document = try thing(
      """
      <relationship name="one" optional="YES" maxCount="1" destinationEntity="Thing" \
      inverseName="many" inverseEntity="Thing"/>
      <relationship name="many" optional="YES" toMany="YES" destinationEntity="Thing"/>
      """
    )
    #expect(document.relationship("many")?.inverse == "one")
    #expect(document.diagnostics.isEmpty)
  }
}
