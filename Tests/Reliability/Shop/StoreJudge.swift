// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import FaultyFiles
import Foundation
import Perennial

/// Looks at a store after a crash, and compares it with what it must contain.
struct StoreJudge {
  let models: ShopModels

  /// What was found.
  enum Outcome: Equatable {
    /// Everything that was acknowledged, and what had begun wholly or not at all.
    case kept
    /// Something that had been acknowledged is not there, and all that came after it neither.
    case lost
    /// A state that there never was.
    case partial(String)
    /// The store cannot be opened, or contradicts itself.
    case corrupt(String)
  }

  /// What a store contains.
  struct Finding {
    var outcome: Outcome
    /// What it contains; `nil` when that cannot be read.
    var shop: Shop?
    /// Whether there was none, and one was made.
    var isNew = false
  }

  /// Judges a store.
  ///
  /// - Parameters:
  ///   - place: The store.
  ///   - ledger: What it must contain.
  /// - Returns: What was found.
  func judge(_ place: StorePlace, _ ledger: ShopLedger) -> Finding {
    var finding = Finding(outcome: .kept)
    do {
      finding.shop = try read(place, &finding, ledger)
    } catch {
      finding.outcome = .corrupt("\(error)")
      return finding
    }
    let expected = [ledger.acknowledged, ledger.pending].compactMap { $0 }
    // Before the first save there may be none, and nothing is in it.
    if finding.isNew, ledger.acknowledged?.step ?? 0 == 0 { return finding }
    guard let found = finding.shop, !expected.contains(found) else { return finding }
    // Whoever looked before may have made one, of either version.
    let isEmpty = found == Shop(version: found.version)
    if expected.isEmpty, isEmpty { return finding }
    if finding.isNew || isEmpty || ledger.states.contains(found) {
      finding.outcome = .lost
    } else {
      let wanted = expected.map { "\($0)" }.joined(separator: "\nor ")
      finding.outcome = .partial("found \(found)\ninstead of \(wanted)")
    }
    return finding
  }

  /// Reads a store; when there is none, one can be made.
  private func read(
    _ place: StorePlace,
    _ finding: inout Finding,
    _ ledger: ShopLedger
  ) throws -> Shop {
    var version = ledger.pending?.version ?? .old
    var isThere = place.hasContents
    // Whoever only looks at a store refuses to undo what was in the middle.
    if isThere, place.hasJournal { try check(place) }
    if isThere {
      do {
        version = try self.version(of: place)
      } catch  where ledger.acknowledged == nil {
        // A file without tables, which is made a store when it is opened.
        isThere = false
      }
    }
    let shop = try read(place, version)
    if place.kind.isSQLite { try check(place) }
    finding.isNew = !isThere
    return shop
  }

  private func version(of place: StorePlace) throws -> ShopVersion {
    let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(
      at: place.description(migrates: false)
    )
    guard let version = models.version(of: metadata) else {
      throw TrialFailure("the store is of no version of the model")
    }
    return version
  }

  /// Asks SQLite itself, without Perennial.
  private func check(_ place: StorePlace) throws {
    var problem = [CChar](repeating: 0, count: 200)
    guard lossy_files_is_whole(place.url.path, &problem, Int32(problem.count)) != 0 else {
      let text = problem.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
      throw TrialFailure(
        "SQLite says that the file is damaged: \(String(decoding: text, as: UTF8.self))"
      )
    }
  }

  private func read(_ place: StorePlace, _ version: ShopVersion) throws -> Shop {
    let container = try PersistentContainer(
      name: "Shop",
      model: models[version],
      store: place.description(migrates: false)
    )
    let context = container.newBackgroundContext(isolation: nil)
    var reader = ShopReader(context, version)
    let shop = try reader.read()
    guard reader.problems.isEmpty else {
      throw TrialFailure(reader.problems.joined(separator: "; "))
    }
    return shop
  }
}

extension StorePlace {
  /// Whether there is a store: a file with something in it.
  fileprivate var hasContents: Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
    return (attributes?[.size] as? Int ?? 0) > 0
  }
}

extension StorePlace {
  /// Whether a save without a write-ahead log has not ended.
  fileprivate var hasJournal: Bool {
    FileManager.default.fileExists(atPath: url.path + "-journal")
  }
}
