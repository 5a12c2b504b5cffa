// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The properties of an entity that a store keeps, in the order in which the model declares them, inherited
/// ones first.
struct RowColumns {
  /// Where a property's value is.
  enum Place {
    /// An attribute or a to-one relationship: its slot.
    case slot(Int)
    /// A composite attribute: the names and slots of its elements.
    case composite([(name: String, slot: Int)])
    case toMany(RelationshipLayout)
  }

  struct Column {
    let name: String
    let place: Place
  }

  let columns: [Column]

  init(_ entity: EntityLayout, _ model: ModelLayout) {
    var line = [entity]
    while let parent = line.last?.superentity { line.append(model.entities[parent]) }
    columns = line.reversed().flatMap { owner in
      owner.description.properties.compactMap { property in
        Self.place(of: property, entity).map { Column(name: property.name, place: $0) }
      }
    }
  }

  private init(columns: [Column]) { self.columns = columns }

  /// Some of the properties.
  func filtered(_ isIncluded: (Column) -> Bool) -> RowColumns {
    RowColumns(columns: columns.filter(isIncluded))
  }

  private static func place(of property: PropertyDescription, _ entity: EntityLayout) -> Place? {
    switch property {
    case .attribute(let attribute):
      if attribute.isTransient { return nil }
      if attribute.type == .composite {
        return .composite(elements(of: attribute, named: attribute.name, entity))
      }
      return entity.slotsByName[attribute.name].map { .slot($0) }
    case .relationship(let relationship):
      if let index = entity.toManysByName[relationship.name] {
        return .toMany(entity.toManys[index])
      }
      return entity.slotsByName[relationship.name].map { .slot($0) }
    }
  }

  /// The elements of a composite attribute; those of one in another have the path as their name.
  private static func elements(
    of attribute: AttributeDescription,
    named path: String,
    _ entity: EntityLayout
  ) -> [(name: String, slot: Int)] {
    attribute.elements.flatMap { element -> [(name: String, slot: Int)] in
      let name = "\(path).\(element.name)"
      if element.type == .composite { return elements(of: element, named: name, entity) }
      let short = name.split(separator: ".").dropFirst().joined(separator: ".")
      return entity.slotsByName[name].map { [(short, $0)] } ?? []
    }
  }
}
