// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Perennial

/// Something that every store must do, or every store with a certain capability.
///
/// The behaviours are values, which tests of any framework can take as arguments:
///
/// ```swift
/// @Test(arguments: csv.behaviours)
/// func `a CSV folder is a store`(_ behaviour: StoreBehaviour) async throws {
///   try await behaviour.run(on: csv)
/// }
/// ```
///
/// The name of a behaviour begins with the row of the specification that it belongs to.
public struct StoreBehaviour: Sendable, Identifiable, CustomStringConvertible {
  /// The row of the specification, and what must hold, in one sentence.
  public let name: String
  /// The capabilities that the behaviour requires of a store.
  public let requirements: StoreCapabilities
  /// Which stores it is about.
  let subject: Subject
  private let body: @Sendable (Trial) async throws -> Void

  /// Kinds of stores that no capability tells.
  enum Subject: String {
    case all = "all stores"
    case files = "stores in files"
    case ownStores = "stores of one's own"

    func contains(_ store: StoreDescription) -> Bool {
      switch self {
      case .all: true
      case .files: store.url?.isFileURL == true
      case .ownStores: store.makeStore != nil
      }
    }
  }

  init(
    _ name: String,
    requires requirements: StoreCapabilities = [],
    about subject: Subject = .all,
    _ body: @escaping @Sendable (Trial) async throws -> Void
  ) {
    self.name = name
    self.requirements = requirements
    self.subject = subject
    self.body = body
  }

  /// The name.
  public var id: String { name }

  /// The name.
  public var description: String { name }

  /// Tests whether a fresh store has the behaviour.
  ///
  /// - Parameter store: The kind of store.
  /// - Throws: ``BehaviourFailure`` if it does not, or the error of the store.
  public func run(on store: StoreUnderTest) async throws {
    do {
      try await Crowd.$hasNUL.withValue(!store.refusesNUL) { try await body(Trial(store)) }
    } catch let failure as BehaviourFailure {
      throw BehaviourFailure("\(store.name): \(name): \(failure.message)")
    }
  }

  /// Every behaviour.
  public static let all: [StoreBehaviour] = [
    valueBehaviours, predicateBehaviours, sortBehaviours, requestBehaviours,
    relationshipBehaviours, deletionBehaviours, savingBehaviours, lockingBehaviours,
    constraintBehaviours, aggregateBehaviours, batchBehaviours, derivationBehaviours,
    faultingBehaviours, openingBehaviours, historyBehaviours, resultsBehaviours,
    concurrencyBehaviours, metadataBehaviours, severalStoresBehaviours, largeValueBehaviours,
  ].flatMap(\.self)
}
