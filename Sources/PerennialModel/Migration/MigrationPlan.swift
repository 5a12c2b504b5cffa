// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What has to be done to a store of one model so that it fits another, to look at before it is done.
///
/// ```swift
/// let plan = MigrationPlan(from: released, to: model)
/// print(plan)
/// if plan.risk >= .destructive { print("something would be lost") }
/// ```
///
/// Two entities or properties are the same when their renaming identifiers are equal; where no identifier is
/// given, the name stands for it.
///
/// Core Data: `NSMappingModel.inferredMappingModel(forSourceModel:destinationModel:)`, whose rules hold here,
/// too; in addition, the type of a number may become wider.
/// (developer.apple.com/documentation/coredata/migrating_your_data_model_automatically)
public struct MigrationPlan: Sendable {
  /// The model that stores have now.
  public let source: ManagedObjectModel
  /// The model that they are to have.
  public let destination: ManagedObjectModel
  /// The differences: entity by entity of the new model, then the entities that are removed.
  public let changes: [MigrationChange]
  /// What becomes of what.
  package let mapping: ModelMapping

  /// Compares two models.
  ///
  /// The comparison takes O(*n*) in the number of their properties.
  ///
  /// - Parameters:
  ///   - source: The model that stores have.
  ///   - destination: The model that they are to have.
  public init(from source: ManagedObjectModel, to destination: ManagedObjectModel) {
    self.source = source
    self.destination = destination
    mapping = ModelMapping(from: source.layout, to: destination.layout)
    changes = MigrationPlanner(mapping).changes()
  }

  /// The greatest risk of any change; ``MigrationRisk/safe`` when there is none.
  public var risk: MigrationRisk { changes.lazy.map(\.risk).max() ?? .safe }

  /// Whether a store can be migrated without code of the program's own.
  public var isInferable: Bool { changes.allSatisfy(\.isInferable) }

  /// Whether stores of the one model fit the other as they are.
  public var isEmpty: Bool { source.layout.isSameVersion(as: destination.layout) }
}

extension MigrationPlan: CustomStringConvertible {
  /// A line that counts the changes, then one for each change with its risk, its place and what it is, and
  /// below it what to do.
  public var description: String {
    guard !changes.isEmpty else { return "No changes: stores of the one model fit the other." }
    let counts = MigrationRisk.allCases.reversed().compactMap { risk -> String? in
      let count = changes.count { $0.risk == risk }
      return count == 0 ? nil : "\(count) \(risk.words)"
    }
    let noun = changes.count == 1 ? "change" : "changes"
    var lines = ["\(changes.count) \(noun): \(counts.joined(separator: ", "))"]
    for change in changes {
      let risk = change.risk.words
      lines.append("  \(risk)\(String(repeating: " ", count: 13 - risk.count))\(change)")
      if !change.advice.isEmpty {
        lines.append("  \(String(repeating: " ", count: 13))fix: \(change.advice)")
      }
    }
    return lines.joined(separator: "\n")
  }
}
