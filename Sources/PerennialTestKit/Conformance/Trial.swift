// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

/// One run of a behaviour: a fresh store, open.
final class Trial {
  let store: StoreUnderTest
  let description: StoreDescription
  private var opened: PersistentContainer?
  /// The contexts of the open container, kept for their objects.
  private var contexts: [ManagedObjectContext] = []

  init(_ store: StoreUnderTest) throws {
    self.store = store
    description = try store.fresh()
  }

  /// The container on the store; it is opened when it is first asked for.
  var container: PersistentContainer {
    get throws {
      if let opened { return opened }
      return try open(description)
    }
  }

  /// A new context.
  func context(_ policy: MergePolicy = .error) throws -> ManagedObjectContext {
    let context = try container.newBackgroundContext(isolation: nil)
    context.mergePolicy = policy
    contexts.append(context)
    return context
  }

  /// Saves a person in a context of its own.
  func saveAda() throws {
    let context = try context()
    try context.make("Person", ["name": "Ada"])
    try context.save()
  }

  /// Closes the store and opens it again; nothing of the old container may be in use.
  func reopen(_ change: (inout StoreDescription) -> Void = { _ in }) throws {
    close()
    var description = description
    change(&description)
    _ = try open(description)
  }

  /// Opens the store with other settings, before anything else.
  @discardableResult
  func open(_ change: (inout StoreDescription) -> Void) throws -> PersistentContainer {
    var description = description
    change(&description)
    return try open(description)
  }

  /// Opens the store and another one under one coordinator.
  ///
  /// - Parameters:
  ///   - other: The other store.
  ///   - configurations: The entities of two configurations; the one whose name comes last is the store's.
  /// - Returns: The store, and the other one.
  /// - Throws: Why one of them cannot be opened.
  func open(
    besides other: StoreDescription,
    configurations: [String: [String]] = [:]
  ) throws -> [PersistentStoreCoordinator.Store] {
    var (first, second) = (description, other)
    let names = configurations.keys.sorted()
    first.configuration = names.last
    second.configuration = names.first
    let container = try PersistentContainer(
      name: "Behaviours",
      model: BehaviourModel.make(configurations: configurations),
      stores: [first, second]
    )
    opened = container
    return container.persistentStoreCoordinator.persistentStores
  }

  /// Closes the store.
  func close() {
    contexts = []
    opened = nil
  }

  /// The model, made once.
  private static let model = Result { try BehaviourModel.make() }

  private func open(_ description: StoreDescription) throws -> PersistentContainer {
    let container = try PersistentContainer(
      name: "Behaviours",
      model: Self.model.get(),
      store: description
    )
    opened = container
    return container
  }
}

// MARK: Expectations

/// Fails with a sentence when a condition does not hold.
func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
  if !condition { throw BehaviourFailure(sentence()) }
}

/// Fails when two values differ.
func expectEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
  if found != expected {
    throw BehaviourFailure("\(what) should be \(expected), but is \(found).")
  }
}

/// Fails when a closure does not throw an error of a code.
@discardableResult
func expectError(
  _ code: PerennialError.Code,
  _ what: String,
  _ body: () throws -> Void
) throws -> PerennialError {
  do {
    try body()
  } catch let error as PerennialError {
    if error.code == code { return error }
    throw BehaviourFailure(
      "\(what) should fail with \(code.rawValue), but failed with \(error.code.rawValue)."
    )
  }
  throw BehaviourFailure("\(what) should fail with \(code.rawValue), but succeeded.")
}

/// The value that must be there.
func required<Value>(_ value: Value?, _ what: String) throws -> Value {
  guard let value else { throw BehaviourFailure("\(what) should be there, but is not.") }
  return value
}
