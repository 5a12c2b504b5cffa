// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

// Short words for what behaviours do with objects that have no class.

extension ManagedObjectContext {
  /// Inserts an object with values.
  @discardableResult
  func make(
    _ entity: String,
    _ values: KeyValuePairs<String, (any Sendable)?> = [:]
  ) throws -> ManagedObject {
    let object = try insert(entityNamed: entity)
    for (key, value) in values { try object.setValue(value, forKey: key) }
    return object
  }

  /// The objects that a condition selects, sorted by name.
  func people(_ format: String? = nil, _ arguments: [(any Sendable)?] = []) throws
    -> [ManagedObject]
  {
    var request = FetchRequest<ManagedObject>(entityName: "Person")
    request.predicate = try format.map { try FetchPredicate(parsing: $0, arguments: arguments) }
    request.sortDescriptors = [FetchSort("name")]
    return try fetch(request)
  }

  /// The one object of an entity that has a name; a failure when there is none.
  func named(_ name: String, _ entity: String = "Person") throws -> ManagedObject {
    let request = FetchRequest<ManagedObject>(entityName: entity)
      .filter(format: "name == %@", name)
    return try required(try first(request), "The \(entity) '\(name)'")
  }

  /// All objects of an entity.
  func all(_ entity: String) throws -> [ManagedObject] {
    try fetch(FetchRequest<ManagedObject>(entityName: entity))
  }

  func count(_ entity: String) throws -> Int {
    try count(for: FetchRequest<ManagedObject>(entityName: entity))
  }
}

extension ManagedObject {
  func text(_ key: String) throws -> String? { try value(forKey: key) as? String }

  func integer(_ key: String) throws -> Int? {
    (try value(forKey: key) as? Int64).map { Int($0) }
  }

  /// The names of the members of a to-many relationship, in its order.
  func names(_ relationship: String, _ key: String = "name") throws -> [String?] {
    let ids = try value(forKey: relationship) as? [ManagedObjectID] ?? []
    let context = try required(managedObjectContext, "The context")
    return try ids.map { try context.existingObject(with: $0).text(key) }
  }

  /// Puts objects into a to-many relationship, at its end.
  func add(_ objects: ManagedObject..., to relationship: String) throws {
    let members = try self.objects(forKey: relationship)
    for object in objects { members.insert(object) }
  }
}

extension [ManagedObject] {
  /// The names of the objects, in their order.
  var names: [String] { get throws { try map { try $0.text("name") ?? "nil" } } }
}
