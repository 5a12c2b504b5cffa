// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
public import PerennialModel

/// Makes a class an entity, and its variables the entity's properties.
///
/// ```swift
/// @Managed final class Commit: ManagedObject {
///   @Unique var sha: String
///   var message: String
///   @Indexed var date: Date
///   var author: Author?
/// }
///
/// @Managed(unique: ["repository", "number"], indexes: ["state", "date"])
/// final class Ticket: ManagedObject {
///   var repository: String
///   var number: Int
///   var state: String = "open"
///   var date: Date
/// }
/// ```
///
/// Every stored `var` needs a type and becomes an attribute, a to-one relationship (`Author?`) or a to-many
/// relationship (`ToMany<Commit>`, `OrderedToMany<Track>`). A `let`, a `static var`, a computed property and a
/// function stay what they are. An initial value becomes the model's default, one for all objects: set `UUID()` or
/// `Date()` in `awakeFromInsert()`. A subclass of a managed class becomes a subentity: write `@Managed` there too.
///
/// The macro adds the entity's description, the table from key paths to names, the conformance to `ManagedEntity`,
/// and, in a class that inherits from `ManagedObject` directly, `Snapshot` with `snapshot()`. If the class declares
/// a type `Snapshot` itself, none is generated.
///
/// In a target whose default isolation is the main actor, write `nonisolated` before `class`.
///
/// A static function `completeEntity(_:)` of the class can say what no mark can. It gets the description that the
/// marks make:
///
/// ```swift
/// private static func completeEntity(_ entity: inout EntityDescription) {
///   entity.userInfo = ["label": "Commits"]
///   entity.changeAttribute("sha") { $0.versionHashModifier = "2" }
/// }
/// ```
///
/// Core Data: what Xcode generates from a model file.
///
/// - Parameters:
///   - entityName: The entity's name; `nil` for that of the class.
///   - unique: Lists of attributes whose values together are unique.
///   - indexes: Lists of properties to index together, ascending.
///   - isAbstract: Whether only its subentities have objects.
///   - renamedFrom: The entity's name in the earlier version of the model, if it was another one.
@attached(memberAttribute)
@attached(
  member,
  names: named(slotCount),
  named(toManyCount),
  named(entityName),
  named(entity),
  named(propertyName),
  named(validatesEachValue),
  named(Snapshot),
  named(snapshot),
  named(`in a target with default MainActor isolation, write nonisolated before class`),
  named(_checkIsolation)
)
@attached(extension, conformances: ManagedEntity)
public macro Managed(
  _ entityName: String? = nil,
  unique: [String]...,
  indexes: [String]...,
  isAbstract: Bool = false,
  renamedFrom: String? = nil
) = #externalMacro(module: "PerennialMacros", type: "Managed")

/// Makes a struct the type of composite attributes.
///
/// ```swift
/// @Composite struct Address {
///   enum Kind: String, Codable { case home, work }
///
///   var city: String?
///   @Attribute(maximumLength: 5) var zip: String?
///   var kind: Kind = .home
/// }
///
/// @Managed final class Person: ManagedObject {
///   var name: String
///   var address: Address?
/// }
///
/// person.address = Address(city: "Ulm")
/// person.address?.zip = "89073"
/// let found = try context.fetch(
///   Person.filter { $0.address.city == "Ulm" }.sorted(by: \.address, \.zip))
/// ```
///
/// Every stored `var` becomes an element with a column of its own; predicates and sorts name it `address.city`.
/// Elements are attributes of any type, composite ones included, and take the rules of `@Attribute`. An optional
/// composite attribute is `nil` when none of its elements has a value.
///
/// The macro adds the conformance to ``CompositeAttribute``, which makes the struct `Codable` and
/// `Sendable`.
///
/// Core Data: `NSCompositeAttributeDescription`.
@attached(
  extension,
  conformances: CompositeAttribute,
  names: named(_elements),
  named(_slotCount),
  named(_elementName),
  named(init),
  named(_write)
)
public macro Composite() = #externalMacro(module: "PerennialMacros", type: "Composite")

/// Says more about an attribute of a managed class, or an element of a composite attribute.
///
/// ```swift
/// @Attribute(renamedFrom: "msg") var message: String
/// @Attribute(external: true) var photo: Data?
/// @Attribute(minimum: 0, maximum: 10) var rating: Double
/// @Attribute(minimumLength: 40, maximumLength: 40, pattern: "[0-9a-f]*") var sha: String
/// @Attribute(validation: [.init("SELF != 'root'", message: "Choose another name.")]) var name: String
/// @Attribute(derived: "commits.@count") var commitCount: Int
/// ```
///
/// Rules are checked by a save, not by the setter. A derived attribute has no setter.
///
/// Core Data: `NSAttributeDescription`.
///
/// - Parameters:
///   - name: The name in the model, if it differs from the variable's: `@Attribute(name: "hash")` lets a model have
///     a property `hash`. Predicates in text and stores use this name.
///   - renamedFrom: The name in the earlier version of the model, if it was another one.
///   - external: Whether values of more than 128 KiB are kept in files beside the store.
///   - preservesValueOnDeletion: Whether the store's history keeps the last value of a deleted
///     object, in the deletion's tombstone.
///   - derived: The expression that gives the value, in Core Data's words: a key path,
///     `canonical:(name)`, `uppercase:(name)`, `lowercase:(name)`, `commits.@count`,
///     `commits.length.@sum`, `now()`.
///   - minimum: The least number or the earliest date.
///   - maximum: The greatest number or the latest date.
///   - minimumLength: The least length: UTF-16 units of text, bytes of data.
///   - maximumLength: The greatest length, in the same units.
///   - pattern: A regular expression of ICU that the whole text must match.
///   - validation: Conditions in the format language, in which `SELF` is the value.
@attached(peer)
public macro Attribute(
  name: String? = nil,
  renamedFrom: String? = nil,
  external: Bool = false,
  preservesValueOnDeletion: Bool = false,
  derived: String? = nil,
  minimum: (any AttributeValue)? = nil,
  maximum: (any AttributeValue)? = nil,
  minimumLength: Int? = nil,
  maximumLength: Int? = nil,
  pattern: String? = nil,
  validation: [ValidationPredicate] = []
) = #externalMacro(module: "PerennialMacros", type: "Marker")

/// Makes an attribute unique: no two objects of the entity may have the same value.
///
/// ```swift
/// @Unique var sha: String
/// ```
///
/// For several attributes together, write `@Managed(unique: ["repository", "number"])`.
///
/// Core Data: `NSEntityDescription.uniquenessConstraints`.
@attached(peer)
public macro Unique() = #externalMacro(module: "PerennialMacros", type: "Marker")

/// Indexes an attribute or a to-one relationship, so that fetches by it are fast.
///
/// ```swift
/// @Indexed var date: Date
/// ```
///
/// For several properties together, write `@Managed(indexes: ["state", "date"])`. With `@Indexed(.fullText)`, a
/// string is found fast by its parts: `message CONTAINS[c] 'fix'`.
///
/// Core Data: `NSFetchIndexDescription`.
///
/// - Parameter type: What kind of question the index answers.
@attached(peer)
public macro Indexed(_ type: FetchIndexElementType = .binary) =
  #externalMacro(module: "PerennialMacros", type: "Marker")

/// Says more about a relationship of a managed class; a string names the inverse.
///
/// ```swift
/// @Relationship(inverse: "author", deleteRule: .cascade) var commits: ToMany<Commit>
/// ```
///
/// And in the other class:
///
/// ```swift
/// @Relationship(optional: false) var author: Author?
/// ```
///
/// The inverse is inferred when only one pair of relationships fits; otherwise, name it on one side. Two to-one
/// relationships of a class to itself (`mother`, `father`) are no pair unless one names the other. A relationship
/// that is its own inverse names itself: `@Relationship(inverse: "friends") var friends: ToMany<Person>`.
///
/// Core Data: `NSRelationshipDescription`.
///
/// - Parameters:
///   - name: The name in the model, if it differs from the variable's.
///   - inverse: The name of the inverse in the model; `nil` to infer it.
///   - deleteRule: What happens to the related objects when the object is deleted.
///   - optional: Whether the relationship may be empty in a saved object.
///   - minimumCount: The least number of objects in a to-many relationship that is not empty.
///   - maximumCount: The greatest number of objects in a to-many relationship; 0 for any number.
///   - renamedFrom: The name in the earlier version of the model, if it was another one.
@attached(peer)
public macro Relationship(
  name: String? = nil,
  inverse: String? = nil,
  deleteRule: DeleteRule = .nullify,
  optional: Bool = true,
  minimumCount: Int = 0,
  maximumCount: Int = 0,
  renamedFrom: String? = nil
) = #externalMacro(module: "PerennialMacros", type: "Marker")

/// Says more about a relationship of a managed class; a key path names the inverse.
///
/// ```swift
/// @Relationship(inverse: \Author.commits) var author: Author?
/// ```
///
/// A wrong key path does not compile. Name the inverse on one side only: key paths on both sides
/// are a circular reference, and so is one to the relationship itself.
///
/// Core Data: `NSRelationshipDescription`.
///
/// - Parameters:
///   - name: The name in the model, if it differs from the variable's.
///   - inverse: The key path of the inverse, with its class in front. If the inverse has another name in the model,
///     name it by a string instead.
///   - deleteRule: What happens to the related objects when the object is deleted.
///   - optional: Whether the relationship may be empty in a saved object.
///   - minimumCount: The least number of objects in a to-many relationship that is not empty.
///   - maximumCount: The greatest number of objects in a to-many relationship; 0 for any number.
///   - renamedFrom: The name in the earlier version of the model, if it was another one.
@attached(peer)
public macro Relationship(
  name: String? = nil,
  inverse: AnyKeyPath,
  deleteRule: DeleteRule = .nullify,
  optional: Bool = true,
  minimumCount: Int = 0,
  maximumCount: Int = 0,
  renamedFrom: String? = nil
) = #externalMacro(module: "PerennialMacros", type: "Marker")

/// Tracks an attribute like the others, but never stores it.
///
/// ```swift
/// @Transient var isSelected: Bool = false
/// ```
///
/// Core Data: `NSPropertyDescription.isTransient`.
@attached(peer)
public macro Transient() = #externalMacro(module: "PerennialMacros", type: "Marker")

/// Gives a property the accessors of a slot; `@Managed` writes it.
///
/// - Parameters:
///   - slot: The number of the attribute, to-one or to-many relationship.
///   - isDerived: Whether the property has no setter.
@attached(accessor)
public macro _ManagedProperty(_ slot: Int, isDerived: Bool = false) =
  #externalMacro(module: "PerennialMacros", type: "ManagedProperty")
