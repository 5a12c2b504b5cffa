// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

extension ManagedObjectContext {
  /// Inserts a new object of an entity, which need not have a class.
  ///
  /// Core Data: `NSEntityDescription.insertNewObject(forEntityName:into:)`.
  ///
  /// - Parameter entityName: The entity's name.
  /// - Returns: The object, of the entity's class or else of `ManagedObject`.
  /// - Throws: `unknownName` (200003), or `invalidModel` (134020) for an abstract entity.
  public func insert(entityNamed entityName: String) throws(PerennialError) -> ManagedObject {
    let home = try home(named: entityName)
    if let error = PerennialError.abstractEntity(home.pointee.layout) { throw error }
    return insert(into: home)
  }

  /// The description of an entity, by name; `nil` for none.
  package func entityDescription(named name: String) -> EntityDescription? {
    store.model.entitiesByName[name].map { store.model.entities[$0].description }
  }

  /// All attributes and relationships of an entity by name, inherited ones included.
  ///
  /// ``EntityDescription/properties`` has only the entity's own: code that copies an object by them loses what it
  /// inherits.
  ///
  /// Core Data: `NSEntityDescription.propertiesByName`, which has fetched properties too.
  ///
  /// - Parameter entityName: The name of an entity.
  /// - Returns: The descriptions by name, without fetched properties; empty for an unknown name.
  /// - Complexity: O(*n*) in the number of properties.
  public func propertiesByName(of entityName: String) -> [String: PropertyDescription] {
    store.model.propertiesByName(of: entityName)
  }

  func insert(into home: UnsafeMutablePointer<EntityHome>) -> ManagedObject {
    let object = home.pointee.type.init(_seed: seed(for: home))
    admit(object)
    object.awakeFromInsert()
    return object
  }

  /// Inserts a new object of a class.
  ///
  /// - Parameter type: The class.
  /// - Returns: The object.
  public func insert<Object: ManagedObject>(_ type: Object.Type) -> Object {
    Object(context: self)
  }

  func seedForInsertion(of type: ManagedObject.Type) -> ObjectSeed {
    let home = home(of: type)
    precondition(
      !home.pointee.layout.description.isAbstract,
      "'\(home.pointee.layout.name)' is abstract; insert an object of a subentity."
    )
    return seed(for: home)
  }

  /// A private row with the defaults, and the next temporary key.
  ///
  /// Safe because the home lives as long as the context, and the object takes the row over.
  private func seed(for home: UnsafeMutablePointer<EntityHome>) -> ObjectSeed {
    let key = home.pointee.keySource.pointee.nextTemporaryKey
    home.pointee.keySource.pointee.nextTemporaryKey = key - 1
    return seed(for: home, key: key)
  }

  /// A private row with the defaults, and a key.
  func seed(for home: UnsafeMutablePointer<EntityHome>, key: Int64) -> ObjectSeed {
    let template = home.pointee.templateRow
    let (edit, row) = EditRecord.make(
      copying: template.start,
      byteCount: template.byteCount,
      capacity: max(home.pointee.expectedByteCount, template.byteCount),
      size: home.pointee.recordSize,
      state: .inserted,
      place: home.pointee.changed.count,
      slab: &home.pointee.slab
    )
    PackedRow.setHeader(row, key: key, version: 0, entity: home.pointee.index)
    return ObjectSeed(home: home, key: key, row: UnsafeRawPointer(row), edit: edit)
  }

  /// Enters a new object into its home.
  func admit(_ object: __owned ManagedObject) {
    guard let home = object._home else { return }
    home.pointee.root.pointee.map.insert(object._key, object)
    home.pointee.changed.append(object)
    if home.pointee.hasConstrainedDefaults { home.pointee.noteKeyChange(of: object) }
    mutationCount &+= 1
    if home.pointee.writeStamp != 0 { noteInserted(object) }
    if undoRegistration.isActive { noteUndo(.insertion(object)) }
    if let derivations = home.pointee.derivations { object._deriveAll(derivations) }
  }
}
