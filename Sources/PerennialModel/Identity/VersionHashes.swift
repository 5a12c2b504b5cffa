// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation

/// The version hashes of a model's entities: equal hashes mean that a store fits a model, but for what
/// ``UnhashedParts`` has.
///
/// The layout of the hashed bytes is FORMAT, part 3. Of composite and derived attributes no sample
/// is known: their hashes are stable, but Core Data's may differ.
///
/// Core Data: `NSEntityDescription.versionHash`.
package struct VersionHashes: Sendable, Equatable {
  /// The 32 bytes of every entity, abstract ones included, by name.
  package let byEntity: [String: Data]

  package init(byEntity: [String: Data]) { self.byEntity = byEntity }

  /// Computes the hashes of a model.
  init(of model: ModelLayout) {
    var hashes: [[UInt8]] = []
    for entity in model.entities {
      let parent = entity.superentity.map { hashes[$0] } ?? []
      hashes.append(Self.hash(of: entity, parent: parent, in: model))
    }
    byEntity = Dictionary(
      uniqueKeysWithValues: zip(model.entities, hashes).map { ($0.name, Data($1)) }
    )
  }

  /// Base64 of SHA-512 over names and hashes: `NSStoreModelVersionHashesDigest`.
  package var digest: String {
    let bytes = sorted.flatMap { name, hash in Array(name.utf8) + Array(hash) }
    return Data(SHA512.hash(bytes)).base64EncodedString()
  }

  /// Base64 of SHA-256 over the hashes: `NSStoreModelVersionChecksumKey`.
  package var checksum: String {
    Data(SHA256.hash(sorted.flatMap { Array($0.value) })).base64EncodedString()
  }

  /// The names of the entities whose hashes differ or that only one side has, sorted.
  package func differences(from other: VersionHashes) -> [String] {
    Set(byEntity.keys).union(other.byEntity.keys)
      .filter { byEntity[$0] != other.byEntity[$0] }.sorted()
  }

  /// The names of entities whose hashes Core Data computes in a way that is not known (FORMAT, part 5): they
  /// have derived or composite attributes or half-transient relationships, or a superentity has.
  package static func uncertainNames(of model: ModelLayout) -> Set<String> {
    let uncertain = model.entities.filter { entity in
      entity.description.properties.contains { property in
        switch property {
        case .attribute(let attribute):
          !attribute.isTransient
            && (attribute.derivationExpression != nil || attribute.type == .composite)
        case .relationship(let relationship): relationship.isHalfTransient
        }
      }
    }
    return Set(uncertain.flatMap { $0.family.map { model.entities[$0].name } })
  }

  private var sorted: [(key: String, value: Data)] {
    byEntity.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  private static func hash(
    of entity: EntityLayout,
    parent: [UInt8],
    in model: ModelLayout
  ) -> [UInt8] {
    let description = entity.description
    var hash = SHA256()
    hash.update(description.name.utf8)
    hash.update([description.isAbstract ? 1 : 0])
    hash.update(parent)
    for property in properties(of: entity, in: model) {
      switch property {
      case .attribute(let attribute): hash.update(self.hash(of: attribute))
      case .relationship(let relationship): hash.update(self.hash(of: relationship))
      }
    }
    for constraint in description.uniquenessConstraints {
      hash.update(constraint.joined(separator: ".").utf8)
    }
    hash.update((description.versionHashModifier ?? "").utf8)
    return hash.finalize()
  }

  /// All stored properties, inherited ones included, in the order of their names.
  private static func properties(
    of entity: EntityLayout,
    in model: ModelLayout
  ) -> [PropertyDescription] {
    var properties = entity.description.properties
    var current = entity
    while let parent = current.superentity {
      current = model.entities[parent]
      properties += current.description.properties
    }
    let names = properties.map(\.name)
    let order = names.indices.sorted { names[$0].utf8.lexicographicallyPrecedes(names[$1].utf8) }
    return order.map { properties[$0] }.filter { property in
      if case .attribute(let attribute) = property { !attribute.isTransient } else { true }
    }
  }

  private static func base(
    _ name: String,
    isOptional: Bool,
    isReadOnly: Bool,
    modifier: String?
  ) -> [UInt8] {
    var hash = SHA256()
    hash.update(name.utf8)
    hash.update([isOptional ? 1 : 0, isReadOnly ? 1 : 0])
    hash.update((modifier ?? "").utf8)
    return hash.finalize()
  }

  private static func hash(of attribute: AttributeDescription) -> [UInt8] {
    var hash = SHA256()
    hash.update(
      base(
        attribute.name,
        isOptional: attribute.isOptional,
        isReadOnly: attribute.derivationExpression != nil,
        modifier: attribute.versionHashModifier
      )
    )
    hash.update(littleEndian(attribute.type.rawValue))
    if attribute.allowsExternalBinaryDataStorage { hash.update([1]) }
    if attribute.preservesValueInHistoryOnDeletion { hash.update([1]) }
    for element in attribute.elements { hash.update(self.hash(of: element)) }
    return hash.finalize()
  }

  private static func hash(of relationship: RelationshipDescription) -> [UInt8] {
    var hash = SHA256()
    hash.update(
      base(
        relationship.name,
        isOptional: relationship.isOptional,
        isReadOnly: false,
        modifier: relationship.versionHashModifier
      )
    )
    hash.update(relationship.destinationEntity.utf8)
    hash.update((relationship.inverse ?? "").utf8)
    hash.update(littleEndian(relationship.maximumCount))
    hash.update(littleEndian(relationship.minimumCount))
    if relationship.isOrdered { hash.update([1, 0]) }
    return hash.finalize()
  }

  /// The 4 bytes of an integer, the least significant first.
  ///
  /// Safe because an integer has no padding, and its bytes are copied.
  private static func littleEndian(_ value: Int) -> [UInt8] {
    withUnsafeBytes(of: Int32(truncatingIfNeeded: value).littleEndian) { Array($0) }
  }
}
