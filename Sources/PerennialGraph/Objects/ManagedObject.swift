// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

/// An object that a store keeps: the base class of every managed class, and the class of objects whose entity has
/// no class of its own.
///
/// ```swift
/// @Managed final class Commit: ManagedObject {
///   @Unique var sha: String
///   var message: String
/// }
///
/// let commit = Commit(context: context)
/// commit.sha = "2f77f2fc"
/// ```
///
/// Isolation: an object belongs to its context, and is used only where the context is; it is not Sendable. Its ID
/// and its snapshot may go anywhere.
///
/// A subclass's `deinit` runs where the last reference is released: after a save, a rollback or an event of the
/// context, for instance. It may read the object, and use the context and other objects. It must not change the
/// object itself or put it into a relationship: nothing can hold an object that is being released.
///
/// Invariants, for those who work on this class:
/// 1. `_row` is nil for a fault and for a forwarding object, and for nothing else.
/// 2. `_edit` is set while the object is inserted, changed or deleted and not saved; then `_row`
///    lies in the same allocation, else in `_page`, which the object retains.
/// 3. `_home` is set as long as the object belongs to a context; the context clears it at its end,
///    and then `_row` is set.
/// 4. While `_home` is set, the identity map of the root entity finds the object by `_key`, unless
///    the object forwards to another.
///
/// Safe because the fields are touched in the context's isolation only, which the compiler enforces
/// by the missing `Sendable`; the exclusivity checks that are off guard against re-entrance during a
/// single load or store, which none of the accessors allows.
///
/// Core Data: `NSManagedObject`.
open class ManagedObject: Hashable, Identifiable, CustomStringConvertible {
  /// The row that is read: committed or private.
  @exclusivity(unchecked) @usableFromInline final var _row: UnsafeRawPointer?
  /// What keeps a committed row alive; in a fault a page of keys, if any: see `RowPage.keys`.
  @exclusivity(unchecked) final var _page: RowPage?
  /// The record of pending changes.
  @exclusivity(unchecked) final var _edit: UnsafeMutablePointer<EditRecord>?
  /// The context and entity that the object belongs to.
  @exclusivity(unchecked) final var _home: UnsafeMutablePointer<EntityHome>?
  /// The key, above some flags: see ``ManagedObject/_key`` and ``ManagedObject/Flag``.
  @exclusivity(unchecked) @usableFromInline final var _bits: Int64

  /// Inserts a new object, with the defaults of its entity, into a context.
  ///
  /// The object is saved by the context's next ``ManagedObjectContext/save()``. The class must belong to the
  /// context's model and must not be abstract; otherwise the program ends with a message that says so.
  /// ``ManagedObjectContext/insert(entityNamed:)`` throws instead.
  ///
  /// Core Data: `NSManagedObject.init(context:)`.
  ///
  /// - Parameter context: The context that the object will belong to.
  public required convenience init(context: borrowing ManagedObjectContext) {
    self.init(_seed: context.seedForInsertion(of: Self.self))
    context.admit(self)
    awakeFromInsert()
  }

  /// Makes the object for a row; only contexts call it.
  public required init(_seed seed: ObjectSeed) {
    _row = seed.row
    _page = seed.page
    _edit = seed.edit
    _home = seed.home
    _bits = seed.key << ManagedObject.flagCount | seed.home.pointee.flags
    if seed.home.pointee.retainsObjects {
      seed.home.pointee.context.retainedObjects?.insert(self)
    }
  }

  deinit {
    if let edit = _edit { EditRecord.free(edit) }
    if let home = _home {
      home.forget(key: _key, of: self)
    } else {
      StoreNumber.release(_storeNumber)
    }
  }

  // MARK: What @Managed overrides

  /// The description of the class's entity; `@Managed` writes it.
  open class var entity: EntityDescription {
    EntityDescription(entityName, isAbstract: true, properties: [])
  }

  /// The name of the class's entity: the class's name unless `@Managed` was given another.
  open class var entityName: String { String(describing: self) }

  /// The number of attributes and to-one relationships, inherited ones included; written by
  /// `@Managed`.
  ///
  /// In a class that can have subclasses, each element of a composite attribute counts.
  open class var slotCount: Int { 0 }

  /// The number of to-many relationships, inherited ones included; written by `@Managed`.
  open class var toManyCount: Int { 0 }

  /// The name of the property that a key path reads; written by `@Managed`.
  ///
  /// - Parameter keyPath: A key path that begins at this class. One that begins at the superclass is a different
  ///   key path.
  /// - Returns: The property's name in the model; `nil` when the key path leads to no property, or beyond one.
  /// - Complexity: Linear in the number of properties.
  open class func propertyName(for keyPath: AnyKeyPath) -> String? { nil }

  // MARK: What subclasses may override

  /// Called once for a new object, after its defaults have been set.
  ///
  /// Core Data: `NSManagedObject.awakeFromInsert()`.
  open func awakeFromInsert() {}

  /// Called for every changed object before it is checked and saved, and again if the object is changed meanwhile.
  ///
  /// Core Data: `NSManagedObject.willSave()`.
  open func willSave() {}

  /// Called for every object of a save that has succeeded.
  ///
  /// Core Data: `NSManagedObject.didSave()`.
  open func didSave() {}

  /// Called when the object is deleted, while its relationships are still intact.
  ///
  /// Core Data: `NSManagedObject.prepareForDeletion()`.
  open func prepareForDeletion() {}

  /// Called before a new object is saved: checks its values.
  ///
  /// Override it to check more. Call `super` first: it throws if the values break the model's rules. An error of
  /// your own becomes the ``PerennialError/underlying`` error of a validation error (1550).
  ///
  /// Core Data: `NSManagedObject.validateForInsert()`.
  ///
  /// - Throws: A validation error (1550 to 1690), one error of code 1560 for several, or your own error.
  open func validateForInsert() throws { try _validateValues() }

  /// Checks a value against the model's rules for a property, without setting it.
  ///
  /// If a class overrides this method, ``validateForInsert()`` and ``validateForUpdate()`` call it for every
  /// property before an object is saved; what it throws joins the other problems. Call `super` for the rules of the
  /// model. `@Managed` sees the override; without the macro, override ``validatesEachValue`` too.
  ///
  /// ```swift
  /// override func validateValue(_ value: (any Sendable)?, forKey key: String) throws {
  ///   try super.validateValue(value, forKey: key)
  ///   if key == "name", value as? String == "root" { throw NameError.reserved }
  /// }
  /// ```
  ///
  /// A save does not call it for derived attributes, nor for to-many relationships that are faults. The latter are
  /// checked against the model's rules all the same.
  ///
  /// Core Data: `NSManagedObject.validateValue(_:forKey:)`.
  ///
  /// - Parameters:
  ///   - value: The value, `nil` for none; for a relationship an ID, or a list of IDs.
  ///   - key: The property's name; `address.city` for an element of a composite attribute.
  /// - Throws: An error for the rule that the value breaks (1550 to 1690), or one of code 1560 for several rules;
  ///   `unknownName` (200003) or `typeMismatch` (200004) for a wrong key or value; or your own error.
  open func validateValue(_ value: (any Sendable)?, forKey key: String) throws {
    try _checkValue(value, forKey: key)
  }

  /// Whether the class overrides ``validateValue(_:forKey:)``; `@Managed` writes it when it sees an override.
  open class var validatesEachValue: Bool { false }

  /// Called before a changed object is saved: checks its values, unchanged ones included.
  ///
  /// It is also called for an owner whose only change is that members came or went. The model's rules are then
  /// those for its to-many relationships, because its own values are as they were saved.
  ///
  /// Core Data: `NSManagedObject.validateForUpdate()`.
  ///
  /// - Throws: As ``validateForInsert()``.
  open func validateForUpdate() throws { try _validateValues() }

  /// Called before a deletion is saved: checks the deny rules.
  ///
  /// Core Data: `NSManagedObject.validateForDelete()`.
  ///
  /// - Throws: A denied deletion (1600), one of code 1560 for several, or your own error.
  open func validateForDelete() throws { try _validateDeletion() }

  /// Called after the object's row has been loaded: by a fetch, or when a fault fires.
  ///
  /// Setting attributes of the object itself is no change here: it makes nothing dirty, and the values are saved
  /// only with a later change. Changing relationships or other objects, and deleting, are changes.
  ///
  /// Core Data: `NSManagedObject.awakeFromFetch()`.
  open func awakeFromFetch() {}

  /// Called when something other than a setter has changed the object's values.
  ///
  /// Core Data: `NSManagedObject.awake(fromSnapshotEvents:)`.
  ///
  /// - Parameter events: What happened.
  open func awake(fromSnapshotEvents events: SnapshotEvents) {}

  /// Called before the object drops its row and becomes a fault; its properties can still be read.
  ///
  /// Core Data: `NSManagedObject.willTurnIntoFault()`.
  open func willTurnIntoFault() {}

  /// Called when the object has dropped its row and is a fault.
  ///
  /// Core Data: `NSManagedObject.didTurnIntoFault()`.
  open func didTurnIntoFault() {}

  /// The object's ID, its state and its values, for logs and debuggers:
  /// `Commit/p7 (changed, sha: "2f77f2fc", author: Author/p1, comments: fault)`.
  ///
  /// Nothing is loaded: a fault is shown as a fault, and so is a to-many relationship that is one. Values are not
  /// hidden, and may be private. Data is shown as its size, a long text by its beginning.
  ///
  /// Core Data: `NSManagedObject.description`.
  ///
  /// - Complexity: Linear in the number of properties.
  open var description: String { _describe() }

  // MARK: Identity

  /// Whether two references are the same instance.
  ///
  /// - Parameters:
  ///   - left: An object.
  ///   - right: Another one.
  /// - Returns: `true` for one and the same instance. The objects that two contexts have for a row are not equal;
  ///   their IDs are.
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

  /// Hashes the instance.
  ///
  /// - Parameter hasher: The hasher that gets the identity of the instance; the object's values do not matter.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// The object's ID, as `Identifiable` requires it.
  public final var id: ManagedObjectID { objectID }
}

@available(
  *,
  unavailable,
  message: "a managed object stays with its context; send its objectID instead"
)
extension ManagedObject: Sendable {}

/// What a context passes to a new object; only a context can make one.
public struct ObjectSeed {
  let home: UnsafeMutablePointer<EntityHome>
  let key: Int64
  let row: UnsafeRawPointer?
  let page: RowPage?
  let edit: UnsafeMutablePointer<EditRecord>?

  @inline(__always)
  init(
    home: UnsafeMutablePointer<EntityHome>,
    key: Int64,
    row: UnsafeRawPointer? = nil,
    page: RowPage? = nil,
    edit: UnsafeMutablePointer<EditRecord>? = nil
  ) {
    self.home = home
    self.key = key
    self.row = row
    self.page = page
    self.edit = edit
  }
}
