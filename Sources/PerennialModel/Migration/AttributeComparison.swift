// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Lists the differences between an attribute and what it was.
struct AttributeComparison {
  private let entity: String
  private let old: AttributeDescription
  private let new: AttributeDescription
  /// The old names of elements by their new ones.
  private let sourceNames: [String: String]

  init(
    _ entity: String,
    _ old: AttributeDescription,
    _ new: AttributeDescription,
    _ sourceNames: [String: String]
  ) {
    self.entity = entity
    self.old = old
    self.new = new
    self.sourceNames = sourceNames
  }

  func changes() -> [MigrationChange] {
    if new.isTransient {
      return old.isTransient || old.derivationExpression != nil
        ? [] : [change(.storageChanged, .destructive, "becomes transient; its values are lost")]
    }
    if new.derivationExpression != nil {
      guard old.normalDerivation != new.normalDerivation || old.type != new.type else { return [] }
      let isStored = old.derivationExpression == nil && !old.isTransient
      return [
        isStored
          ? change(.derivationChanged, .destructive, "becomes derived; its own values are lost")
          : change(.derivationChanged, .safe, "is derived otherwise")
      ]
    }
    if old.isTransient {
      return new.isOptional || !new.lacksDefault
        ? [change(.storageChanged, .safe, "is stored now")]
        : [
          change(
            .storageChanged,
            .needsCode,
            "is stored now, required and without a default value",
            setIt
          )
        ]
    }
    return typeChanges() + optionalityChanges() + storageChanges()
  }

  private let setIt = "set it in a MigrationStage"

  private func typeChanges() -> [MigrationChange] {
    if old.type == .composite, new.type == .composite {
      return CompositeComparison(entity, old, new, sourceNames).changes()
    }
    guard old.type != new.type else { return [] }
    let words = "type changed from \(old.type.words) to \(new.type.words)"
    return old.type.widens(to: new.type)
      ? [change(.typeChanged, .safe, words)] : [change(.typeChanged, .needsCode, words, setIt)]
  }

  private func optionalityChanges() -> [MigrationChange] {
    if !old.isOptional, new.isOptional {
      return [change(.optionalityChanged, .safe, "becomes optional")]
    }
    guard old.isOptional || old.derivesNothingAtTimes, !new.isOptional else { return [] }
    if old.type == .composite, new.type == .composite {
      return [change(.optionalityChanged, .safe, "becomes required, as far as its elements are")]
    }
    return new.lacksDefault
      ? [
        change(
          .optionalityChanged,
          .needsCode,
          "becomes required, without a default value",
          "give it a default value, or set it in a MigrationStage"
        )
      ]
      : [change(.optionalityChanged, .safe, "becomes required; its default value fills gaps")]
  }

  private func storageChanges() -> [MigrationChange] {
    var changes: [MigrationChange] = []
    if old.derivationExpression != nil {
      changes.append(change(.derivationChanged, .safe, "is no longer derived"))
    }
    if old.allowsExternalBinaryDataStorage != new.allowsExternalBinaryDataStorage {
      let words =
        new.allowsExternalBinaryDataStorage
        ? "large values may lie in files of their own"
        : "values no longer lie in files of their own"
      changes.append(change(.storageChanged, .safe, words))
    }
    if old.preservesValueInHistoryOnDeletion != new.preservesValueInHistoryOnDeletion {
      changes.append(change(.storageChanged, .safe, "what history keeps of it on deletion changes"))
    }
    if old.versionHashModifier != new.versionHashModifier {
      changes.append(change(.storageChanged, .safe, "version hash modifier changed"))
    }
    return changes
  }

  private func change(
    _ kind: MigrationChange.Kind,
    _ risk: MigrationRisk,
    _ explanation: String,
    _ advice: String = ""
  ) -> MigrationChange {
    MigrationChange(kind, entity, property: new.name, risk, explanation, advice: advice)
  }
}
