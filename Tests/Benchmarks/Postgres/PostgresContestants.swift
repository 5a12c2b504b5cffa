// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Who takes part in an operation.
struct PostgresContestants {
  let url: String

  /// Ours first.
  func all(for operation: PostgresOperation) -> [PostgresContestant] {
    switch operation {
    case .insert: [insert, insertByHand]
    case .readAll: [readAll, readAllByHand, readAsTheyArrive]
    case .lookUpBatches, .lookUpAll, .lookUpOne: [lookUp, lookUpByHand]
    case .saveMany, .saveOne: [save, saveByHand]
    }
  }

  private var insert: PostgresContestant {
    PostgresContestant(role: .ours) { trial in
      let side = try OurPostgresSide(url)
      return {
        try side.insert(trial.workload)
        return 0
      }
    }
  }

  private var insertByHand: PostgresContestant {
    PostgresContestant(role: .raw) { trial in
      let insertion = try RawInsertion(url)
      return {
        try insertion.run(trial.workload)
        return 0
      }
    }
  }

  private var readAll: PostgresContestant {
    PostgresContestant(role: .ours) { _ in
      let side = try OurPostgresSide(url)
      return { try side.readAll() }
    }
  }

  private var readAllByHand: PostgresContestant {
    PostgresContestant(role: .raw) { _ in
      let reading = try RawReading(url)
      return { try reading.readAll() }
    }
  }

  private var readAsTheyArrive: PostgresContestant {
    PostgresContestant(role: .variant("raw, row by row as they arrive")) { trial in
      let reading = try RawReading(url)
      return { try reading.readAsTheyArrive(trial.workload.commits.count) }
    }
  }

  private var lookUp: PostgresContestant {
    PostgresContestant(role: .ours) { trial in
      let side = try OurPostgresSide(url)
      let batches = trial.batches.map { $0.map(\.sha) }
      return { try side.lookUp(batches) }
    }
  }

  private var lookUpByHand: PostgresContestant {
    PostgresContestant(role: .raw) { trial in
      let reading = try RawReading(url)
      let batches = trial.batches.map { $0.map(\.sha) }
      return { try reading.lookUp(batches) }
    }
  }

  /// The objects are fetched before.
  private var save: PostgresContestant {
    PostgresContestant(role: .ours) { trial in
      let side = try OurPostgresSide(url)
      let batches = try trial.batches.map { batch in
        zip(try side.commits(batch.map(\.sha)), batch.map(trial.newMessage))
          .map { (commit: $0, message: $1) }
      }
      return {
        try side.save(batches)
        return 0
      }
    }
  }

  private var saveByHand: PostgresContestant {
    PostgresContestant(role: .raw) { trial in
      let saving = try RawSaving(url)
      let batches = trial.batches.map { batch in
        batch.map { (sha: $0.sha, message: trial.newMessage($0)) }
      }
      return {
        try saving.save(batches)
        return 0
      }
    }
  }
}

extension PostgresContestants {
  /// How many round trips a save takes; `nil` for what is no save.
  func roundTrips(_ trial: PostgresTrial) throws -> Int? {
    switch trial.operation {
    case .readAll, .lookUpBatches, .lookUpAll, .lookUpOne: return nil
    case .insert:
      let side = try OurPostgresSide(url)
      let before = side.roundTrips
      try side.insert(trial.workload)
      return side.roundTrips - before
    case .saveMany, .saveOne:
      let side = try OurPostgresSide(url)
      let batch = trial.batches[0]
      let commits = try side.commits(batch.map(\.sha))
      let before = side.roundTrips
      try side.save([zip(commits, batch.map(trial.newMessage)).map { (commit: $0, message: $1) }])
      return side.roundTrips - before
    }
  }
}
