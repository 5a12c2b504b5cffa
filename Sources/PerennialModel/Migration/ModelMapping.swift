// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Which entity and property of an old model becomes which of a new one.
package struct ModelMapping: Sendable {
  package let source: ModelLayout
  package let destination: ModelLayout
  /// The old entity of every new one.
  package let sources: [Int?]
  /// The new entity of every old one.
  package let destinations: [Int?]
  /// The new entities that share a renaming identifier with another.
  let ambiguousEntities: [Int]
  /// What becomes of the objects of each old entity that is not removed, in the order of old entities.
  package let entities: [EntityMapping]
  private let mappingsBySource: [Int?]
  /// What can be carried over.
  let carrying: PropertyCarrying
  /// Whether objects of entities that become abstract are carried over, for code that deletes or moves them.
  package var keepsAbstractObjects = false
  /// Whether values that a store has lost already may be gone for good.
  package var allowsLoss = false

  package init(from source: ModelLayout, to destination: ModelLayout) {
    self.source = source
    self.destination = destination
    func names(_ model: ModelLayout) -> [NameMatching.Name] {
      model.entities.map { .init($0.name, $0.description.renamingIdentifier) }
    }
    let matching = NameMatching(old: names(source), new: names(destination))
    sources = matching.sources
    ambiguousEntities = matching.ambiguous
    var destinations: [Int?] = source.entities.map { _ in nil }
    for (new, old) in matching.sources.enumerated() {
      if let old { destinations[old] = new }
    }
    self.destinations = destinations
    var names: [PropertyNames?] = matching.sources.enumerated().map { new, old in
      old.map {
        PropertyNames(source.entities[$0], in: source, destination.entities[new], in: destination)
      }
    }
    let known = names
    for index in names.indices { names[index]?.inferInverses(known) }
    carrying = PropertyCarrying(source, destination, destinations, names)
    var entities: [EntityMapping] = []
    var mappingsBySource: [Int?] = source.entities.map { _ in nil }
    for (old, new) in destinations.enumerated() {
      guard let names = new.flatMap({ names[$0] }) else { continue }
      mappingsBySource[old] = entities.count
      entities.append(EntityMapping(names, carrying))
    }
    self.entities = entities
    self.mappingsBySource = mappingsBySource
  }

  /// What becomes of the objects of an old entity; `nil` when it is removed.
  package func mapping(ofSource entity: Int) -> EntityMapping? {
    mappingsBySource[entity].map { entities[$0] }
  }

  /// What the objects of a new entity come from; `nil` when it is added.
  package func mapping(ofDestination entity: Int) -> EntityMapping? {
    sources[entity].flatMap(mapping(ofSource:))
  }

  /// The root entities of the old model whose objects the tree of a new root takes.
  package func sourceRoots(ofRoot root: Int) -> Set<Int> {
    Set(
      destination.entities[root].family.compactMap { sources[$0] }.map { source.entities[$0].root }
    )
  }
}
