// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore
import Synchronization

// One object for every row: how rows and IDs become objects.

extension ManagedObjectContext {
  /// The objects of a page's rows: known ones, or new ones.
  ///
  /// A known object without changes takes the row when it is newer than its own.
  func materialise(_ page: RowPage) -> [ManagedObject] {
    var objects: [ManagedObject] = []
    objects.reserveCapacity(page.count)
    append(page, to: &objects)
    return objects
  }

  /// The entity of an object of this context.
  func layout(of object: ManagedObject) -> EntityLayout {
    object._home?.pointee.layout ?? homes[0].layout
  }

  func append(_ page: RowPage, to objects: inout [ManagedObject]) {
    for index in 0..<page.count { objects.append(object(at: index, of: page)) }
  }

  /// The object of a row that keeps its page.
  func object(of row: PageRow) -> ManagedObject { object(at: row.index, of: row.page) }

  // Safe because the object keeps the page of the row that it takes.
  @inline(__always)
  private func object(at index: Int, of page: RowPage) -> ManagedObject {
    let row = page.row(index)
    let key = PackedRow.key(row)
    let home = homes + PackedRow.entity(row)
    let root = home.pointee.root
    let known = root.pointee.map.find(key)
    if let known, known._withUnsafeGuaranteedRef({ $0._home == home }) {
      let object = known.takeUnretainedValue()
      if object._edit == nil, home.pointee.isNews(row, for: object._row) {
        if object._row != nil {
          refetch(object, PageRow(page: page, index: index))
        } else {
          object.set(.awaitsAwakening, true)
          object._row = row
          object._page = page
        }
        object.set(.isGone, false)
      } else if object._edit == nil, object.has(.isGone) {
        // Somebody stored it again before its deletion was merged here.
        object.set(.isGone, false)
        if home.pointee.writeStamp != 0 { noteRefetched(object) }
      }
      return object
    }
    let object = home.pointee.type.init(
      _seed: ObjectSeed(home: home, key: key, row: row, page: page)
    )
    object.set(.awaitsAwakening, true)
    if known == nil && key.fitsObjects || isFree(key, in: root) {
      root.pointee.map.insert(key, object)
    }
    return object
  }

  /// Gives an object that has a row a newer one; runs no user code before the end of the fetch, or of the event.
  @inline(never)
  private func refetch(_ object: ManagedObject, _ row: PageRow) {
    object.takeNewer(row, in: self)
    lifecycle.refetched.insert(ObjectReference(key: object._key, entity: row.entity))
    if homes[row.entity].writeStamp != 0 { noteRefetched(object) }
  }

  /// Whether a new object can be registered under a key: one of another entity that is there gives way.
  ///
  /// Only in a damaged store does a row have another entity than who has named it, or than its former self. The
  /// class of an object must fit its row, so that the other one does not serve; it is gone then, unless it has
  /// changes: then it stays, and the new one is not registered.
  @inline(never)
  private func isFree(_ key: Int64, in root: UnsafeMutablePointer<EntityHome>) -> Bool {
    guard key.fitsObjects else { return false }
    guard let other = root.pointee.map.find(key)?.takeUnretainedValue() else { return true }
    guard other._edit == nil else { return false }
    other._becomeGone()
    return true
  }

  /// The object that a reference names: a known one or a new fault.
  func object(for reference: ObjectReference) -> ManagedObject {
    let home = homes + reference.entity
    let root = home.pointee.root
    let known = root.pointee.map.find(reference.key)?.takeUnretainedValue()
    if let known, known._home == home || isOfFamily(known, of: home) { return known }
    let object = home.pointee.type.init(_seed: ObjectSeed(home: home, key: reference.key))
    if known == nil && reference.key.fitsObjects || isFree(reference.key, in: root) {
      root.pointee.map.insert(reference.key, object)
    }
    return object
  }

  /// Whether an object is of an entity or of one below it, as somebody who names it by its parent's name may say.
  @inline(never)
  private func isOfFamily(
    _ object: ManagedObject,
    of home: UnsafeMutablePointer<EntityHome>
  ) -> Bool {
    object._home.map { home.pointee.family.contains($0.pointee.index) } ?? false
  }

  /// The object of an ID that the context already has, without asking the store.
  ///
  /// Core Data: `NSManagedObjectContext.registeredObject(for:)`.
  ///
  /// - Parameter id: A permanent ID, or a temporary one that was taken before a save.
  /// - Returns: The object, or `nil` when the context does not have it.
  public func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
    guard let index = store.model.entitiesByName[id.entityName] else { return nil }
    let root = homes[index].root
    return key(of: id, root: homes[index].layout.root).flatMap {
      root.pointee.map.find($0)?.takeUnretainedValue()
    }.map { $0._survivor ?? $0 } ?? survivor(of: id)
  }

  /// The object that one of an ID was merged into, unless it is gone since.
  private func survivor(of id: ManagedObjectID) -> ManagedObject? {
    let known = aliases[id].map { $0._survivor ?? $0 }
    return known?._home == nil ? nil : known
  }

  /// The object of an ID, loaded from the store if necessary.
  ///
  /// If the context has loaded the object, the store is not asked, even if its row has been deleted since: see
  /// ``ManagedObject/isGone``.
  ///
  /// Core Data: `NSManagedObjectContext.existingObject(with:)`.
  ///
  /// - Parameter id: A permanent ID, or a temporary one that was taken before a save.
  /// - Returns: The object; never a fault.
  /// - Throws: `objectGone` (200006) when the object is not loaded and there is no such row, `unknownName`
  ///   (200003) for an entity that the model does not have, or the store's error.
  public func existingObject(with id: ManagedObjectID) throws(PerennialError) -> ManagedObject {
    if let known = registeredObject(for: id), !known.isFault { return known }
    let entity = try store.model.entity(named: id.entityName)
    guard let key = key(of: id, root: entity.root), key > 0 || parent != nil
    else { throw .objectGone(id) }
    var found: ManagedObject?
    var query = StoreQuery(entity: entity.index, scope: .keys([key]))
    query.includesSubentities = true
    try store.fetchRows(query) { page in found = materialise(page).first ?? found }
    guard let found else { throw .objectGone(id) }
    awaken(found)
    return found
  }

  /// The object of an ID, as an object of a class.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - id: A permanent ID, or a temporary one that was taken before a save.
  /// - Returns: The object; never a fault.
  /// - Throws: As ``existingObject(with:)``, and `typeMismatch` (200004) for another class.
  public func object<Object: ManagedObject>(
    _ type: Object.Type = Object.self,
    with id: ManagedObjectID
  ) throws(PerennialError) -> Object {
    let object = try existingObject(with: id)
    guard let typed = object as? Object else {
      throw .wrongClass(found: id.entityName, expected: Object.entityName)
    }
    return typed
  }

  /// The ID of a key, stored or temporary.
  @inline(__always)
  func objectID(_ entity: Int, _ key: Int64) -> ManagedObjectID {
    key < 0 ? temporaryIDs.id(entity, key) : storedIDs.id(entity, key)
  }

  /// The ID of the object that a reference names: the permanent one, if it has got that before its save.
  func objectID(of reference: ObjectReference) -> ManagedObjectID {
    objectID(reference.entity, reference.key < 0 ? publishedKey(of: reference) : reference.key)
  }

  /// The key that an ID stands for here, or `nil` when it belongs to another store.
  func key(of id: ManagedObjectID, root: Int) -> Int64? {
    if !id.isTemporaryID { return coordinator.naming.key(of: id).map { ownKey(of: $0, root) } }
    if id.owner == family.identifier {
      return top.temporaryKeys.key(root: root, temporary: id.key) ?? id.key
    }
    return coordinator.temporaryKeys.withLock { $0.key(of: id, root: root) }
  }
}

extension ManagedObject {
  /// Gives an object without changes a newer row, below its transient values.
  ///
  /// Safe because the object keeps the page of the row.
  final func takeNewer(_ row: PageRow, in context: ManagedObjectContext) {
    context.relationships.forgetDerived()
    let row = context.row(row, withTransientsOf: self)
    _row = row.pointer
    _page = row.page
  }
}

extension Int64 {
  /// Whether an object can have the key: it has 48 bits of it, and could not take itself out of the map under a
  /// longer one.
  @inline(__always)
  fileprivate var fitsObjects: Bool { (self << 16) >> 16 == self }
}
