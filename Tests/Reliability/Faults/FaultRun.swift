// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import FaultyFiles
import Foundation
import Perennial

/// One scenario on one kind of store with one kind of fault: runs it once for each call that may fail.
///
/// For every call: a fresh copy of the stores; the fault; a copy of the files at that moment, which is what a
/// process that ends there leaves; the same again without a fault; and what there is at the end.
struct FaultRun {
  /// A promise that was broken.
  struct Breach: Error {
    enum Kind: String, CaseIterable {
      /// What was pending is gone, or cannot be saved any more.
      case lost
      /// A store is neither what it was nor what it should be, or answers wrongly.
      case partial
      /// An error that no program can expect, or a crash.
      case untyped
    }

    let kind: Kind
    let message: String
  }

  /// What a fault did.
  enum Outcome {
    /// All calls went well: there are not that many.
    case none(failing_report)
    case error(PerennialError, failing_report)
    /// It did no harm.
    case harmless(failing_report)
  }

  let scenario: FaultScenario
  let mode: FaultMode
  let template: FaultPlace
  private let work: URL
  private let images: URL

  /// Makes the stores that the scenario begins with.
  init(_ scenario: FaultScenario, _ form: FaultPlace.Form, _ mode: FaultMode, in folder: URL) throws
  {
    self.scenario = scenario
    self.mode = mode
    work = folder.appending(path: "work")
    images = folder.appending(path: "images")
    let first = folder.appending(path: "first")
    try FileManager.default.createDirectory(at: first, withIntermediateDirectories: true)
    let place = FaultPlace(
      folder: first,
      form: form,
      keepsHistory: scenario.keepsHistory,
      durability: scenario.durability
    )
    failing_watch(first.path + "/")
    let open = try scenario.prepare(place)
    template = try place.copy(to: folder.appending(path: "template"))
    withExtendedLifetime(open) {}
    failing_watch(work.path + "/")
    let state = try self.state(of: template)
    guard state == scenario.before else {
      throw Breach(kind: .partial, message: "the scenario begins with \(state)")
    }
  }

  /// Lets one call fail.
  ///
  /// - Parameter number: Which, from 1.
  /// - Returns: What came of it.
  /// - Throws: A breach.
  func strike(_ number: Int) throws -> Outcome {
    let place = try template.copy(to: work)
    var session: FaultScenario.Session? = try scenario.begin(place)
    guard let act = session?.act else { return .none(failing_report()) }
    let (result, report) = mode.strike(number, act)
    switch result {
    case .success:
      try expect([scenario.after], state(of: place), "after a fault that did no harm")
    case .failure(let error):
      guard report.failures > 0 else { throw self.breach(.lost, "without a fault", error) }
      try checkError(error)
      try checkPending(session)
      try expect([scenario.before, scenario.after], state(of: place), "after the error \(error)")
      do {
        try act()
      } catch {
        // While everything fails, what is there already cannot be taken away again.
        let isThere = try mode.isSticky && state(of: place) == scenario.after
        if !isThere { throw breach(.lost, "the second time", error) }
      }
    }
    session = nil
    try expect([scenario.after], state(of: place), "at the end")
    if let complaint = try scenario.check(place) {
      throw Breach(kind: .partial, message: complaint)
    }
    if report.failures == 0 { return .none(report) }
    guard case .failure(let error as PerennialError) = result else { return .harmless(report) }
    return .error(error, report)
  }

  // MARK: Checks

  private func checkError(_ error: any Error) throws {
    if error is WrongAnswer { throw breach(.partial, "in place of an error", error) }
    guard let error = error as? PerennialError, Self.codes.contains(error.code) else {
      throw breach(.untyped, "after a fault", error)
    }
    if error.message.isEmpty || error.recovery.isEmpty {
      throw breach(.untyped, "without a message or a cure", error)
    }
  }

  /// The codes of errors that say that files cannot be opened, read or written.
  private static let codes: Set<PerennialError.Code> = [
    .persistentStoreOpen, .persistentStoreSave, .persistentStoreTimeout, .migration, .sqlite,
  ]

  private func checkPending(_ session: FaultScenario.Session?) throws {
    guard let pending = session?.pending else { return }
    do {
      var contents = try pending()
      contents.transactions = scenario.after.main?.transactions
      guard contents != scenario.after.main else { return }
      throw Breach(kind: .lost, message: "pending changes are gone: \(contents)")
    } catch let breach as Breach {
      throw breach
    } catch {
      throw breach(.lost, "reading pending changes", error)
    }
  }

  private func expect(
    _ states: [FaultPlace.State],
    _ state: FaultPlace.State,
    _ moment: String
  ) throws {
    if !states.contains(state) {
      throw Breach(kind: .partial, message: "\(moment), the stores hold \(state)")
    }
  }

  /// What a copy of the files holds, after SQLite has checked it.
  private func state(of place: FaultPlace) throws -> FaultPlace.State {
    do {
      let image = try place.copy(to: images)
      let state = try image.state()
      let problems = try image.problems()
      if !problems.isEmpty { throw WrongAnswer("SQLite finds: \(problems)") }
      return state
    } catch {
      throw breach(.partial, "reading the stores", error)
    }
  }

  private func breach(_ kind: Breach.Kind, _ moment: String, _ error: any Error) -> Breach {
    Breach(kind: kind, message: "\(moment): \(error)")
  }
}
