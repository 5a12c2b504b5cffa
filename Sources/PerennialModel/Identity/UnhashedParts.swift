// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What stores depend on although no version hash tells it: what attributes are derived of, and which relationships to
/// one object at most are to-many.
///
/// The hashes are in stores and, as far as its are known, Core Data's: they stay as they are.
package struct UnhashedParts: Equatable {
  /// The parts of every entity's own properties, by the names of both.
  private let byEntity: [String: [String: String]]

  package init(of model: ModelLayout) {
    self.init(
      model.entities.map { ($0.name, $0.description.properties.map(Property.init(_:))) }
    )
  }

  private init(_ entities: [(name: String, properties: [Property])]) {
    var byEntity: [String: [String: String]] = [:]
    for (name, properties) in entities {
      var parts: [String: String] = [:]
      for property in properties { parts[property.name] = property.part }
      byEntity[name] = parts
    }
    self.byEntity = byEntity
  }

  /// The names of the entities whose parts differ from those of a model of the same version hashes, sorted.
  func differences(from other: UnhashedParts) -> [String] {
    byEntity.keys.filter { byEntity[$0] != other.byEntity[$0] }.sorted()
  }
}

/// What matters here of a property, and no more, as descriptions are coded.
private struct Property: Decodable {
  let name: String
  let derivationExpression: String?
  let isToMany: Bool?
  let maximumCount: Int?

  init(_ property: PropertyDescription) {
    name = property.name
    switch property {
    case .attribute(let attribute):
      derivationExpression = attribute.derivationExpression
      (isToMany, maximumCount) = (nil, nil)
    case .relationship(let relationship):
      derivationExpression = nil
      (isToMany, maximumCount) = (relationship.isToMany, relationship.maximumCount)
    }
  }

  var part: String? {
    if let derivationExpression {
      return AttributeDescription.normalForm(of: derivationExpression)
    }
    return isToMany == true && maximumCount == 1 ? "to-many" : nil
  }
}

extension UnhashedParts: Decodable {
  private enum CodingKeys: CodingKey { case entities }

  private struct Entity: Decodable {
    let name: String
    /// Each as a case with one value is coded: `{"attribute": {"_0": {…}}}`.
    let properties: [[String: [String: Property]]]
  }

  /// Reads the parts of a coded model without making the model, or checking that it is one.
  package init(from decoder: any Decoder) throws {
    let entities = try decoder.container(keyedBy: CodingKeys.self)
      .decode([Entity].self, forKey: .entities)
    self.init(entities.map { ($0.name, $0.properties.flatMap(\.values).flatMap(\.values)) })
  }
}

extension ModelLayout {
  /// The names of the entities for whose sake stores of another model do not fit this one, sorted.
  package func differences(from other: ModelLayout) -> [String] {
    if self === other { return [] }
    let differences = versionHashes.differences(from: other.versionHashes)
    return differences.isEmpty
      ? UnhashedParts(of: self).differences(from: UnhashedParts(of: other)) : differences
  }

  /// Whether stores of one of two models fit the other as they are.
  package func isSameVersion(as other: ModelLayout) -> Bool { differences(from: other).isEmpty }
}
