// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate

/// An object whose `deinit` uses its context, as a program's may.
///
/// Safe because the grief is set and read by one test at a time, in its own task.
final class Mourner: ManagedObject, ManagedEntity {
  @TaskLocal static var box = GriefBox(nil)

  /// Carries a grief into a task-local value.
  struct GriefBox: @unchecked Sendable {
    // Safe because only the task that binds the value uses it.
    let grief: Grief?
    init(_ grief: Grief?) { self.grief = grief }
  }

  deinit { Self.box.grief?.mourn(self) }

  var name: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var count: Int {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var heir: Mourner? {
    get { _get(2) }
    set { _set(2, newValue) }
  }
  var ancestors: ToMany<Mourner> {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var friends: OrderedToMany<Mourner> {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Mourner.self,
        named: "Mourner",
        superclass: ManagedObject.self,
        uniqueness: [["name"]],
        properties: [
          .of("name", String.self, default: ""), .of("count", Int.self, default: 0),
          .of("heir", (Mourner?).self, inverse: "ancestors"),
          .of("ancestors", ToMany<Mourner>.self, inverse: "heir"),
          .of("friends", OrderedToMany<Mourner>.self, inverse: "friends"),
        ]
      )
    }
    return Storage.entity
  }
}

/// What the objects of a test do when they die, and how many have.
final class Grief {
  private static let limit = 40

  private(set) var deaths = 0
  private(set) var errors: [any Error] = []
  /// The names that the dying objects read as.
  private(set) var names: Set<String> = []
  /// An object that the dying ones change.
  var witness: Mourner?
  /// The context in which they mourn, also for objects that have left it.
  weak var context: ManagedObjectContext?
  /// Whether nothing is done for the time being.
  var isSilent = false
  /// Whether the dying read themselves, and do nothing else.
  var onlyReads = false
  private var isMourning = false

  /// Reads the dying object and its context, fetches, inserts, deletes, and changes another object.
  func mourn(_ object: Mourner) {
    guard let witness, !isMourning, !isSilent, let context else { return }
    isMourning = true
    defer { isMourning = false }
    deaths += 1
    guard deaths <= Self.limit else { return }
    names.insert(object.name)
    if onlyReads { return }
    _ = context.hasChanges
    do {
      var request = FetchRequest<Mourner>()
      request.predicate = "name == 'nobody'"
      _ = try context.fetch(request)
      witness.count += 1
      let new = Mourner(context: context)
      new.name = "brief \(deaths)"
      witness.friends.append(new)
      context.delete(new)
    } catch {
      errors.append(error)
    }
  }
}

/// Runs a test whose objects mourn; `witness` is a saved one.
func withGrief(_ kind: StoreKind, _ body: (ManagedObjectContext, Grief) throws -> Void) throws {
  let grief = Grief()
  let bench = try Bench(kind, model: ManagedObjectModel(Mourner.entity), classes: [Mourner.self])
  let context = bench.context()
  let witness = Mourner(context: context)
  witness.name = "witness"
  try context.save()
  try Mourner.$box.withValue(Mourner.GriefBox(grief)) {
    (grief.witness, grief.context) = (witness, context)
    try body(context, grief)
    grief.witness = nil
  }
}
