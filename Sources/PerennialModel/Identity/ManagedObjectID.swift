// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// The identity of a managed object: its store, its entity and its key.
///
/// An ID is a small value that may cross isolations and processes. It is *temporary* from the moment that an
/// object is inserted until the object is saved, and then permanent for ever. A temporary ID still names its
/// object after the save: a context finds the saved object by it, if no more than some thousand saves have
/// followed. To keep an ID for long, take the permanent one.
///
/// Core Data: `NSManagedObjectID`.
public struct ManagedObjectID: Sendable, Hashable {
  /// What the ID shares with those of other objects of its entity and store.
  @usableFromInline package let origin: ObjectIDOrigin
  /// The key within the root entity: positive when permanent, negative when temporary.
  @usableFromInline package let key: Int64

  /// The ID of one of many objects.
  @inlinable
  package init(_ origin: ObjectIDOrigin, _ key: Int64) {
    self.origin = origin
    self.key = key
  }

  /// The ID of a single object; `ObjectIDMaker` makes those of many.
  package init(entityName: String, owner: UUID, key: Int64) {
    self.init(ObjectIDOrigin(entityName: entityName, owner: owner), key)
  }

  /// The name of the object's own entity, never that of a superentity.
  public var entityName: String { origin.entityName }

  /// The identifier of the object's store; `nil` for a temporary ID.
  ///
  /// `PersistentStoreCoordinator.persistentStore(for:)` gives the store itself.
  ///
  /// Core Data: `NSManagedObjectID.persistentStore`.
  public var storeID: UUID? { isTemporaryID ? nil : owner }

  /// The store's identifier, or that of the context that made a temporary ID.
  package var owner: UUID { origin.owner }

  /// Hashes the key, the entity and the owner.
  ///
  /// - Parameter hasher: The hasher that takes them.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(origin.seed)
    hasher.combine(key)
  }

  /// Puts the IDs of neighboring keys, eight at a time, side by side into a set: a save of many
  /// objects then writes an eighth as often to a distant place.
  ///
  /// More at a time would make long runs, which other IDs would have to pass.
  @inlinable
  public func _rawHashValue(seed: Int) -> Int {
    let chunk = UInt64(bitPattern: key >> 3) ^ UInt64(bitPattern: Int64(seed ^ origin.seed))
    let mixed = chunk &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: (mixed ^ mixed >> 32) << 3 | UInt64(bitPattern: key) & 7)
  }

  /// Whether two IDs have the same key, owner and entity; the keys are compared first.
  ///
  /// - Parameters:
  ///   - left: An ID.
  ///   - right: Another one.
  /// - Returns: `false` also for the temporary and the permanent ID of one object.
  @inlinable
  public static func == (left: ManagedObjectID, right: ManagedObjectID) -> Bool {
    left.key == right.key && (left.origin === right.origin || left.origin.equals(right.origin))
  }

  /// Whether the object had not been saved when this ID was taken.
  public var isTemporaryID: Bool { key < 0 }
}

extension ManagedObjectID: Codable {
  private enum CodingKeys: CodingKey { case entityName, owner, key }

  /// Reads an ID.
  ///
  /// - Parameter decoder: A decoder of what ``encode(to:)`` wrote.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      entityName: try values.decode(String.self, forKey: .entityName),
      owner: try values.decode(UUID.self, forKey: .owner),
      key: try values.decode(Int64.self, forKey: .key)
    )
  }

  /// Writes the entity's name, the store and the key.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(entityName, forKey: .entityName)
    try values.encode(owner, forKey: .owner)
    try values.encode(key, forKey: .key)
  }
}

extension ManagedObjectID {
  /// The ID as a URI: `x-coredata://STORE/Entity/p7`, or `x-coredata:///Entity/tCONTEXT-3` for a
  /// temporary ID.
  ///
  /// Core Data: `NSManagedObjectID.uriRepresentation()`.
  public var uriRepresentation: URL {
    var components = URLComponents()
    components.scheme = Self.scheme
    components.host = isTemporaryID ? "" : owner.uuidString
    components.path =
      isTemporaryID
      ? "/\(entityName)/t\(owner.uuidString)-\(key.magnitude)" : "/\(entityName)/p\(key)"
    return components.url ?? URL(fileURLWithPath: components.path)
  }

  /// The ID that a URI names, or `nil` when the text is not such a URI.
  ///
  /// - Parameter uri: A URI made by ``uriRepresentation``.
  public init?(uriRepresentation uri: URL) {
    guard let components = URLComponents(url: uri, resolvingAgainstBaseURL: false),
      components.scheme == Self.scheme
    else { return nil }
    let steps = components.path.split(separator: "/", omittingEmptySubsequences: false)
    guard steps.count == 3, steps[0].isEmpty, !steps[1].isEmpty, let mark = steps[2].first else {
      return nil
    }
    let reference = steps[2].dropFirst()
    switch mark {
    case "p":
      guard let owner = UUID(uuidString: components.host ?? ""), let key = Self.number(reference)
      else { return nil }
      self.init(entityName: String(steps[1]), owner: owner, key: key)
    case "t":
      guard let owner = UUID(uuidString: String(reference.prefix(36))),
        reference.dropFirst(36).first == "-", (components.host ?? "").isEmpty,
        let number = Self.number(reference.dropFirst(37))
      else { return nil }
      self.init(entityName: String(steps[1]), owner: owner, key: -number)
    default: return nil
    }
  }

  /// A positive number of digits only.
  private static func number(_ text: Substring) -> Int64? {
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int64(text), number > 0
    else { return nil }
    return number
  }

  private static let scheme = "x-coredata"
}

extension ManagedObjectID: CustomStringConvertible {
  /// The entity and the key, short enough for a message: `Commit/p7`, `Commit/t3`.
  public var description: String {
    isTemporaryID ? "\(entityName)/t\(key.magnitude)" : "\(entityName)/p\(key)"
  }
}
