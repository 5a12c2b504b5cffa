// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialGraph
public import PerennialModel
public import PerennialStore

extension PersistentContainer {
  /// Opens the store of a model in which some entities have classes.
  ///
  /// ```swift
  /// let container = try PersistentContainer(
  ///   name: "Library", model: LibraryModel.model(), classes: LibraryModel.entities)
  /// ```
  ///
  /// The model may come from a model file, with fetch requests and configurations. The objects of an entity without
  /// a class are of class `ManagedObject`.
  ///
  /// - Parameters:
  ///   - name: The container's name.
  ///   - model: The model.
  ///   - classes: The managed classes; superclasses need not be named.
  ///   - store: The store to open; by default a SQLite file in the user's data folder.
  /// - Throws: `invalidModel` (134020) when a class does not have the properties of its entity, in their order, or
  ///   why the store cannot be opened (134080, 134100 …). The store's files are left as they are.
  public convenience init(
    name: String,
    model: ManagedObjectModel,
    classes: [any ManagedEntity.Type],
    store: StoreDescription? = nil
  ) throws(PerennialError) {
    let classes = ManagedClasses(classes)
    try classes.check(against: model)
    try self.init(name: name, model: model, byEntityName: classes.byEntityName, store: store)
  }
}

extension ManagedClasses {
  /// Whether objects of the classes can be read from rows of a model: a class knows its properties by
  /// their places.
  ///
  /// - Throws: `invalidModel` (134020) for the first class that differs.
  fileprivate func check(against model: ManagedObjectModel) throws(PerennialError) {
    let entities = model.entitiesByName
    for description in descriptions {
      let name = description.name
      guard let entity = entities[name] else {
        throw .invalidModel(
          "The model has no entity '\(name)', of which there is a class.",
          PerennialError.suggestion(for: name, among: Array(entities.keys)),
          entity: name
        )
      }
      guard entity.parent == description.parent,
        entity.properties.map(\.shape) == description.properties.map(\.shape)
      else {
        throw .invalidModel(
          "The class of '\(name)' does not have the properties that the model says, in this order.",
          "generate the class again, or make the model of the classes",
          entity: name
        )
      }
    }
  }
}

extension PropertyDescription {
  /// What the accessors of a class depend on: name and type.
  fileprivate var shape: [String] {
    switch self {
    case .attribute(let attribute): attribute.shape
    case .relationship(let relationship):
      [
        relationship.name, relationship.destinationEntity, "\(relationship.isToMany)",
        "\(relationship.isOrdered)",
      ]
    }
  }
}

extension AttributeDescription {
  fileprivate var shape: [String] { [name, "\(type)"] + elements.flatMap(\.shape) + ["."] }
}
