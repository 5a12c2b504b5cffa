// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph

/// What several contexts and their store should hold under a merge policy: SEMANTICS 1M, written down
/// as plainly as possible, over numbers for objects and two attributes.
struct MergeOracle {
  typealias Values = [Int64?]

  struct Row: Equatable {
    var key: Int64
    var values: Values
    var version: Int
  }

  enum State { case clean, new, storedAgain, updated, deleted }

  /// An object in a context.
  struct Local {
    var key: Int64
    var values: Values
    var state: State
    /// The row that the context read.
    var base: Row?
    /// When each attribute was assigned.
    var assigned: [Int: Int] = [:]
    /// When the first change was made; of a new object, when it was given its key.
    var since = 0

    var isPending: Bool { state != .clean && state != .deleted }
    var isStored: Bool { base != nil || state == .storedAgain }
  }

  let policy: MergePolicy
  var stored: [Int: Row] = [:]
  var contexts: [[Int: Local]]
  /// What the instances that forward stand for.
  ///
  /// The first instance of an object in a context has the object's number. When it has become a
  /// forwarding one and the object comes back, another instance stands for it, under another number.
  private(set) var aliases: [[Int: Int]]
  private var laterInstances: [[Int: Int]]
  private var nextInstance = 1_000_000
  private var clock = 0

  init(policy: MergePolicy, contexts count: Int) {
    self.policy = policy
    contexts = Array(repeating: [:], count: count)
    aliases = Array(repeating: [:], count: count)
    laterInstances = aliases
  }

  private var trustsStore: Bool { policy == .mergeByPropertyStoreTrump || policy == .rollback }

  /// The object that an instance stands for.
  func resolve(_ instance: Int, in context: Int) -> Int {
    aliases[context][instance]
      ?? laterInstances[context].first { $0.value == instance }?.key ?? instance
  }

  /// The instance of an object that does not forward.
  func instance(of number: Int, in context: Int) -> Int {
    laterInstances[context][number] ?? number
  }

  /// Makes the instance of an object, and all that stand for it, stand for another one.
  private mutating func forward(_ number: Int, to target: Int, in context: Int) {
    aliases[context] = aliases[context].mapValues { $0 == number ? target : $0 }
    aliases[context][instance(of: number, in: context)] = target
    laterInstances[context][number] = nextInstance
    nextInstance += 1
  }

  // MARK: Steps

  mutating func insert(_ number: Int, key: Int64, _ values: [Int: Int64?], in context: Int) {
    clock += 1
    var local = Local(key: key, values: [nil, nil], state: .new, since: clock)
    for (index, value) in values.sorted(by: { $0.key < $1.key }) {
      clock += 1
      local.values[index] = value
      local.assigned[index] = clock
    }
    contexts[context][number] = local
  }

  mutating func set(_ number: Int, _ index: Int, _ value: Int64?, in context: Int) {
    guard var local = contexts[context][number], local.state != .deleted else { return }
    clock += 1
    if local.values[index] == value, local.state != .new { return }
    local.values[index] = value
    local.assigned[index] = clock
    if local.state == .clean {
      local.state = .updated
      local.since = clock
    }
    contexts[context][number] = local
  }

  mutating func delete(_ number: Int, in context: Int) {
    if contexts[context][number]?.state == .new {
      contexts[context][number] = nil
    } else {
      contexts[context][number]?.state = .deleted
    }
  }

  mutating func fetch(in context: Int) {
    mergeTwins(in: context)
    // "… earlier only for entities that a fetch … is about to show" (ARCHITECTURE, decision 8).
    meetHolders(in: context, isEarly: true) { $0 == nil || $0?.state == .clean }
    for (number, row) in stored {
      let local = contexts[context][number]
      if local == nil || local?.state == .clean { contexts[context][number] = Self.clean(row) }
    }
  }

  mutating func rollback(_ context: Int) {
    for (number, local) in contexts[context] where local.state != .clean {
      contexts[context][number] = local.base.map(Self.clean)
    }
  }

  mutating func save(_ context: Int) {
    mergeTwins(in: context)
    for number in contexts[context].keys.sorted() { meetVersion(number, in: context) }
    mergeTwins(in: context)
    meetHolders(in: context, isEarly: false) { $0?.state != .deleted }
    write(context)
  }

  /// Merges new objects into the stored ones that have their keys, whatever these are in the context.
  private mutating func meetHolders(
    in context: Int,
    isEarly: Bool,
    where isMet: (Local?) -> Bool
  ) {
    for (number, local) in contexts[context].sorted(by: { $0.key < $1.key })
    where local.state == .new || local.state == .storedAgain {
      let holder = stored.first { other, row in
        other != number && row.key == local.key && isMet(contexts[context][other])
      }
      guard let holder else { continue }
      if contexts[context][holder.key]?.isPending != true {
        contexts[context][holder.key] = Self.clean(holder.value)
      }
      merge(number, into: holder.key, in: context, isEarly: isEarly)
    }
  }

  private static func clean(_ row: Row) -> Local {
    Local(key: row.key, values: row.values, state: .clean, base: row)
  }

  // MARK: Rules

  /// Changed objects with one key become one: a stored one, else the oldest (MergePolicy: "the stored
  /// object, or of two new ones the older").
  ///
  /// Two stored ones with one key stay two: keys are not changed here, so neither was given the other's
  /// values, and the store never has both rows. One is out of date, which is a conflict of versions
  /// (MergePolicy), and those come first (1M: "calls first `resolve(optimisticLockingConflicts:)`"). Until
  /// then a new object joins the one that was changed first.
  mutating func mergeTwins(in context: Int) {
    let pending = contexts[context].filter { $0.value.isPending }
    for (_, twins) in Dictionary(grouping: pending, by: \.value.key) where twins.count > 1 {
      let stored = twins.filter { $0.value.state == .updated }
      let others = twins.filter { $0.value.state != .updated }.map(\.key).sorted()
      let first = stored.min { $0.value.since < $1.value.since }?.key
      let oldest = others.first { contexts[context][$0]?.isStored == true } ?? others.first
      guard let survivor = first ?? oldest else { continue }
      for number in others where number != survivor { merge(number, into: survivor, in: context) }
    }
  }

  /// Merges an object into another.
  ///
  /// Decision 8: "only *assigned* properties count as the newcomer's change", and they count whatever
  /// the survivor has: its value may be out of date, or be by the time of the save (MergePolicy: "when
  /// the two are compared does not matter"). What else a policy takes counts in the same way. The save
  /// itself has read an unchanged survivor this moment: it writes nothing if all is equal.
  private mutating func merge(
    _ number: Int,
    into target: Int,
    in context: Int,
    isEarly: Bool = true
  ) {
    guard let loser = contexts[context][number], var survivor = contexts[context][target] else {
      return
    }
    let wasClean = survivor.state == .clean
    for index in loser.values.indices {
      let assigned = loser.assigned[index]
      let last = survivor.assigned[index] ?? 0
      let takes: Bool
      switch policy {
      case .overwrite: takes = true
      case .rollback: takes = false
      case .mergeByPropertyStoreTrump: takes = assigned != nil && survivor.values[index] == nil
      case .mergeByPropertyObjectTrumpOverwritingUnset:
        // 1M.2: all values of the *inserted* object count as its change. One that is stored again is
        // none (MergePolicy: "stored again, same ID"). When the values count as assigned, 1M does not
        // say; MergePolicy says: with the key.
        takes = assigned.map { $0 >= last } ?? (loser.state == .new && loser.since >= last)
      default: takes = assigned.map { $0 >= last } ?? false
      }
      guard takes else { continue }
      let isEqual = survivor.values[index] == loser.values[index]
      let countsUnset =
        policy == .mergeByPropertyObjectTrumpOverwritingUnset || policy == .overwrite && wasClean
      if survivor.state == .new {
        if assigned != nil || !isEqual { survivor.assigned[index] = assigned }
      } else if !isEqual || (isEarly || !wasClean) && (assigned != nil || countsUnset) {
        survivor.assigned[index] = assigned ?? loser.since
        if survivor.state == .clean {
          survivor.state = .updated
          survivor.since = clock
        }
      }
      survivor.values[index] = loser.values[index]
    }
    // The key too was assigned to both.
    if survivor.state == .new, loser.state == .new { survivor.since = loser.since }
    contexts[context][target] = survivor
    contexts[context][number] = nil
    forward(number, to: target, in: context)
  }

  /// A changed object meets a row that is not the one that was read.
  private mutating func meetVersion(_ number: Int, in context: Int) {
    guard var local = contexts[context][number], let base = local.base, local.state != .clean else {
      return
    }
    guard let row = stored[number] else {
      if local.state == .deleted { return }
      local.state = .storedAgain
      contexts[context][number] = trustsStore ? nil : local
      return
    }
    guard row.version != base.version else { return }
    if local.state == .deleted, !trustsStore { return }
    for index in local.values.indices {
      let isOurs = local.assigned[index] != nil
      let isTheirs = row.values[index] != base.values[index]
      let keepsOurs: Bool
      switch policy {
      case .overwrite: keepsOurs = true
      case .rollback: keepsOurs = false
      case .mergeByPropertyStoreTrump: keepsOurs = isOurs && !isTheirs
      default: keepsOurs = isOurs
      }
      if !keepsOurs { local.values[index] = row.values[index] }
      if local.values[index] == row.values[index], isTheirs || !keepsOurs {
        local.assigned[index] = nil
      } else if keepsOurs, local.values[index] != row.values[index] {
        local.assigned[index] = local.assigned[index] ?? 0
      }
    }
    local.base = row
    local.state = local.assigned.isEmpty ? .clean : .updated
    contexts[context][number] = local
  }

  private mutating func write(_ context: Int) {
    for (number, local) in contexts[context] {
      switch local.state {
      case .clean: continue
      case .deleted:
        stored[number] = nil
        contexts[context][number] = nil
        continue
      case .new: stored[number] = Row(key: local.key, values: local.values, version: 1)
      case .updated, .storedAgain:
        let version = (local.base?.version ?? 0) + 1
        stored[number] = Row(key: local.key, values: local.values, version: version)
      }
      contexts[context][number] = stored[number].map(Self.clean)
    }
  }
}
