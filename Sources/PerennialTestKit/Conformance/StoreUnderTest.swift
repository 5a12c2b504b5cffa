// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Perennial

/// A kind of store on which the behaviours are run.
///
/// ```swift
/// let csv = StoreUnderTest("CSV folder", capabilities: [.durable]) {
///   let folder = try makeEmptyFolder()
///   return .custom { try CSVStore(folder: folder) }
/// }
/// ```
///
/// You write `makeEmptyFolder`: it makes a folder, and deletes it when the tests are done.
public struct StoreUnderTest: Sendable, CustomStringConvertible {
  /// The name of the kind.
  public let name: String
  /// What the store can do; behaviours that require more are left out.
  public let capabilities: StoreCapabilities
  /// The behaviours that the store lacks on purpose, by name, and why.
  public let exceptions: [String: String]
  /// Whether saving a text with a NUL (U+0000) is a validation error (1,550), and nothing is then saved.
  public let refusesNUL: Bool
  private let make: @Sendable () throws -> StoreDescription

  /// A kind of store.
  ///
  /// - Parameters:
  ///   - name: The name of the kind.
  ///   - capabilities: What the store can do: `durable` for a durable store, and `history` for one whose
  ///     history outlives the process.
  ///   - exceptions: The behaviours that the store lacks on purpose, by name, and why.
  ///   - refusesNUL: Whether a text with a NUL cannot be saved.
  ///   - make: Describes a store that does not exist yet, another one each time. Opening the description of a
  ///     durable store again opens the same store again. Some descriptions are never opened.
  public init(
    _ name: String,
    capabilities: StoreCapabilities,
    exceptions: [String: String] = [:],
    refusesNUL: Bool = false,
    make: @escaping @Sendable () throws -> StoreDescription
  ) {
    self.name = name
    self.capabilities = capabilities
    self.exceptions = exceptions
    self.refusesNUL = refusesNUL
    self.make = make
  }

  /// The name of the kind.
  public var description: String { name }

  /// Describes a store that does not exist yet.
  ///
  /// - Returns: The description, of another store each time.
  /// - Throws: What the initializer's `make` throws.
  public func fresh() throws -> StoreDescription { try make() }

  /// The behaviours that the store must have.
  public var behaviours: [StoreBehaviour] {
    let skipped = skipped
    return StoreBehaviour.all.filter { skipped[$0.name] == nil }
  }

  /// The behaviours that are left out, by name, and why.
  public var skipped: [String: String] {
    // What cannot be made is told by each behaviour.
    let description = try? make()
    var reasons: [String: String] = [:]
    for behaviour in StoreBehaviour.all {
      reasons[behaviour.name] = reasonToSkip(behaviour, description)
    }
    return reasons
  }

  private func reasonToSkip(
    _ behaviour: StoreBehaviour,
    _ description: StoreDescription?
  ) -> String? {
    let missing = behaviour.requirements.subtracting(capabilities)
    if !missing.isEmpty { return "It requires \(missing)." }
    if let description, !behaviour.subject.contains(description) {
      return "It is about \(behaviour.subject.rawValue)."
    }
    return exceptions[behaviour.name]
  }
}
