// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// The steps that lead from the model of a store to the one that it is opened with.
struct MigrationRoute {
  struct Step {
    let plan: MigrationPlan
    let label: String
    let body: (@Sendable (MigrationManager) throws -> Void)?
  }

  let steps: [Step]

  /// Finds the steps.
  ///
  /// - Throws: `incompatibleVersionHash` (134100), which says what differs.
  init(
    from stored: StoredModel,
    to model: ManagedObjectModel,
    _ description: StoreDescription
  ) throws(PerennialError) {
    guard !stored.fits(model.layout) else {
      steps = []
      return
    }
    let migration = description.migration
    let name = description.url?.lastPathComponent
    guard description.shouldMigrateStoreAutomatically, !description.isReadOnly else {
      throw Self.refusal(
        stored,
        model,
        migration,
        name,
        description.isReadOnly
          ? "open it once without 'isReadOnly' to migrate it"
          : "set 'shouldMigrateStoreAutomatically' of the store's description"
      )
    }
    var steps: [Step] = []
    var current = stored
    if !migration.stages.isEmpty {
      steps = try Self.stages(from: stored, to: model, migration, name)
      if let last = steps.last { current = StoredModel(model: last.plan.destination) }
    }
    if !current.fits(model.layout) {
      guard description.shouldInferMappingModelAutomatically else {
        throw Self.refusal(
          current,
          model,
          migration,
          name,
          "give a MigrationStage, or set 'shouldInferMappingModelAutomatically' of the store's description"
        )
      }
      let plan = try Self.inferred(from: current, to: model, migration, name)
      steps.append(Step(plan: plan, label: "", body: nil))
    }
    self.steps = steps
    for step in steps where step.body == nil && !step.plan.isInferable {
      throw .incompatible(
        name,
        step.plan.changes.filter { !$0.isInferable },
        recovery: "give a MigrationStage, or change the model: see 'problems'"
      )
    }
  }

  /// The stages from the one that begins with the store's model; none for a store of a later model.
  private static func stages(
    from stored: StoredModel,
    to model: ManagedObjectModel,
    _ migration: Migration,
    _ name: String?
  ) throws(PerennialError) -> [Step] {
    let stages = migration.stages
    for (stage, next) in zip(stages, stages.dropFirst())
    where !stage.destination.layout.isSameVersion(as: next.source.layout) {
      throw .migrationFailed(
        "The migration stage '\(next.label)' does not begin with the model that the one before ends with.",
        "let every stage begin where the one before ends"
      )
    }
    if let first = stages.firstIndex(where: { stored.fits($0.source.layout) }) {
      return makeSteps(stages[first...])
    }
    if let last = stages.last, stored.fits(last.destination.layout) { return [] }
    // Of a model that derives otherwise, the first step begins with what the store has.
    let first = stages.firstIndex { stored.fitsApartFromDerivations($0.source) }
    let isPast = stages.last.map { stored.fitsApartFromDerivations($0.destination) } ?? false
    if let first, !isPast || stages.allSatisfy({ $0.body == nil }) {
      return makeSteps(stages[first...], from: stored.model)
    }
    if first == nil, isPast { return [] }
    // Where both are so, nothing but the number of changes tells whether the code has been run.
    if let source = known(stored, migration), isLater(source, than: stages) { return [] }
    throw refusal(
      stored,
      model,
      migration,
      name,
      "no migration stage begins with the store's model: add one"
    )
  }

  /// The steps of stages, the first from the model that is given, if one is.
  private static func makeSteps(
    _ stages: ArraySlice<MigrationStage>,
    from source: ManagedObjectModel? = nil
  ) -> [Step] {
    var source = source
    return stages.map { stage in
      defer { source = nil }
      return Step(
        plan: MigrationPlan(from: source ?? stage.source, to: stage.destination),
        label: stage.label,
        body: stage.body
      )
    }
  }

  /// Whether a model is one that was made of what the last stage ends with.
  ///
  /// No model tells what it was made of: it is later if it differs less from what the last stage ends with than from
  /// what the first one begins with. Stores of an earlier one must not go past the code of the stages.
  private static func isLater(_ model: ManagedObjectModel, than stages: [MigrationStage]) -> Bool {
    guard let first = stages.first, let last = stages.last else { return true }
    let since = MigrationPlan(from: last.destination, to: model).changes.count
    return since < MigrationPlan(from: model, to: first.source).changes.count
  }

  /// The store's model, of the program or as the store has it.
  private static func known(_ stored: StoredModel, _ migration: Migration) -> ManagedObjectModel? {
    migration.models.first { stored.fits($0.layout) } ?? stored.model
  }

  private static func inferred(
    from stored: StoredModel,
    to model: ManagedObjectModel,
    _ migration: Migration,
    _ name: String?
  ) throws(PerennialError) -> MigrationPlan {
    guard let source = known(stored, migration) else {
      throw refusal(
        stored,
        model,
        migration,
        name,
        "open it with the model that wrote it, or name that model in the migration's 'earlierModels'"
      )
    }
    let plan = MigrationPlan(from: source, to: model)
    let isNamed = migration.models.contains { stored.hasHashes(of: $0) }
    guard isNamed || migration.allowsLoss || plan.risk < .destructive else {
      throw .incompatible(
        name,
        plan.changes.filter { $0.risk == .destructive },
        recovery: """
          if the store is newer than the program, use a newer program; if what is lost may go, name the store's \
          model in the migration's 'earlierModels', or set 'allowsLoss'
          """
      )
    }
    return plan
  }

  /// The error that says what differs: changes if the store's model is known, else entities.
  private static func refusal(
    _ stored: StoredModel,
    _ model: ManagedObjectModel,
    _ migration: Migration,
    _ name: String?,
    _ recovery: String
  ) -> PerennialError {
    guard let source = known(stored, migration) else {
      let differences = stored.differences(from: model.layout)
      return .incompatible(name, differences, recovery: recovery)
    }
    let plan = MigrationPlan(from: source, to: model)
    return .incompatible(name, plan.changes, recovery: recovery)
  }
}

extension StoredModel {
  /// Whether a model has the store's version hashes, which do not tell all that matters.
  fileprivate func hasHashes(of model: ManagedObjectModel) -> Bool {
    model.layout.versionHashes == hashes
  }

  /// Whether the store differs from a model in nothing but derivations, whose values are computed anew anyway.
  ///
  /// Hashes tell all but these and, of relationships to one object at most, which are to-many.
  fileprivate func fitsApartFromDerivations(_ model: ManagedObjectModel) -> Bool {
    guard hasHashes(of: model), let own = self.model else { return false }
    return !MigrationPlan(from: own, to: model).changes.contains { $0.kind == .cardinalityChanged }
  }
}

extension Migration {
  /// All models that the program knows besides the newest.
  var models: [ManagedObjectModel] {
    earlierModels + stages.flatMap { [$0.source, $0.destination] }
  }
}

extension PerennialError {
  static func migrationFailed(_ message: String, _ recovery: String) -> PerennialError {
    PerennialError(.migration, message, recovery: recovery)
  }
}
