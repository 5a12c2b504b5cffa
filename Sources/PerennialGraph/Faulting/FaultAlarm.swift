// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// Notices in debug builds that one fetch is followed by many queries for a single object each: "N+1".
///
/// Faults and to-many relationships load their siblings with them; where that is switched off, and in
/// child contexts, a loop over fetched objects asks the store once for each. The fetch is to blame,
/// and so its call site is named: a property's getter does not know who calls it.
///
/// Invariant: the counts are those since the fetch that `site` names.
struct FaultAlarm {
  /// Where a fetch is written.
  struct Site {
    let entityName: String
    let file: StaticString
    let line: UInt
  }

  /// What is loaded one by one.
  enum Subject: Hashable {
    /// The rows of a root entity's faults.
    case rows(root: Int)
    /// The members of a to-many relationship.
    case members(entity: Int, toMany: Int)
  }

  /// So many queries are too many.
  static let queryLimit = 20

  /// After a pause of so long, queries have nothing to do with each other any more.
  static let pause = Duration.seconds(1)

  private(set) var site: Site?
  private var counts: [Subject: Int] = [:]
  private var latest: ContinuousClock.Instant?

  /// Whether this build watches.
  static var isOn: Bool {
    #if DEBUG
    true
    #else
    false
    #endif
  }

  /// Begins to count anew, for another fetch.
  mutating func begin(_ site: Site) {
    self.site = site
    if !counts.isEmpty { counts = [:] }
  }

  /// Counts a query for one object.
  ///
  /// - Returns: The fetch to warn of: once, when the limit is reached.
  mutating func note(_ subject: Subject) -> Site? {
    guard let site else { return nil }
    let now = ContinuousClock.now
    if let latest, now - latest > Self.pause { counts = [:] }
    latest = now
    counts[subject, default: 0] += 1
    return counts[subject] == Self.queryLimit ? site : nil
  }
}

extension ManagedObjectContext {
  /// Remembers where the latest fetch is written.
  func noteFetch(of entityName: String, at file: StaticString, _ line: UInt) {
    guard FaultAlarm.isOn else { return }
    faulting.alarm.begin(FaultAlarm.Site(entityName: entityName, file: file, line: line))
  }

  /// Counts a query for a single object, and warns when a fetch has led to many of them.
  func noteSingleQuery(_ subject: FaultAlarm.Subject) {
    guard FaultAlarm.isOn, let site = faulting.alarm.note(subject) else { return }
    let (what, relationship) = describe(subject, after: site)
    let cure =
      relationship.map { "fetch with 'prefetching(\"\($0)\")'" }
      ?? "prefetch the relationship that leads to them"
    coordinator.log(
      .warning,
      "\(what) took \(FaultAlarm.queryLimit) queries of one object each after the fetch of "
        + "'\(site.entityName)' at \(site.file):\(site.line); \(cure) to load them in one."
    )
  }

  /// What is loaded one by one, and the relationship that leads to it, if only one does.
  private func describe(
    _ subject: FaultAlarm.Subject,
    after site: FaultAlarm.Site
  ) -> (what: String, relationship: String?) {
    let model = store.model
    switch subject {
    case .members(let entity, let toMany):
      let relationship = model.entities[entity].toManys[toMany]
      return ("'\(model.entities[entity].name).\(relationship.name)'", relationship.name)
    case .rows(let root):
      let names = model.entitiesByName[site.entityName].map { entity in
        model.entities[entity].slots.compactMap(\.relationship)
          .filter { model.entities[$0.destination].root == root }.map(\.name)
      }
      guard let names, names.count == 1 else {
        return ("Faults of '\(model.entities[root].name)'", nil)
      }
      return ("'\(site.entityName).\(names[0])'", names[0])
    }
  }
}
