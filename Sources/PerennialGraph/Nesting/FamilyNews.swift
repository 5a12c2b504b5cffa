// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// What a save changes, for the contexts of the family that merge it by themselves: the children of
/// the context that saves, and the other children of its parent.
///
/// They are called directly, since a family shares one isolation.
struct FamilyNews {
  private let followers: [ManagedObjectContext]
  /// The objects with their root entities; their keys may change until the news is told.
  private let objects: [(root: Int, object: ManagedObject)]

  /// The news of a save that is about to end; `nil` when nobody wants to know.
  init?(of context: ManagedObjectContext) {
    let siblings = context.parent?.family.children.filter { $0 !== context } ?? []
    followers = (context.family.children + siblings).filter(\.family.mergesFromParent)
    guard !followers.isEmpty else { return nil }
    objects = context.changedObjects.compactMap { object in
      object._home.map { ($0.pointee.layout.root, object) }
    }
  }

  /// Lets the others merge the changes.
  func tell() {
    var keys: [Int: Set<Int64>] = [:]
    for (root, object) in objects { keys[root, default: []].insert(object._key) }
    for follower in followers { follower.mergeFromParent(keys, from: follower) }
  }
}

extension ManagedObjectContext {
  /// Lets the children that merge by themselves read again what this context has merged: they may have objects that it
  /// has not.
  func passMerged(_ merged: MergedChanges) {
    guard !family.isMerging, family.children.contains(where: \.family.mergesFromParent) else {
      return
    }
    var news = ResultsNews()
    for object in merged.refreshed + merged.deleted { news.note(object, in: self) }
    var derivations: [ChangeSet.Derivation] = []
    switch merged.source {
    case .everything: return passMerged(nil)
    case .named: break
    case .saves(let saves): derivations = saves.flatMap(\.changes.derivations)
    }
    if news.hasUnknown { return passMerged(nil) }
    news.note(merged, in: self)
    passMerged(news.touched, derivations.filter(\.hasTargets))
  }

  /// Lets the children that merge by themselves read again what a merge policy has left without changes, or gone: no
  /// save will tell of it.
  func passSettled(_ objects: [ManagedObject]) {
    guard family.children.contains(where: \.family.mergesFromParent) else { return }
    let settled = objects.filter { !$0._hasEdits && !$0.isForwarding }
    if settled.isEmpty { return }
    var news = ResultsNews()
    for object in settled { news.note(object, in: self) }
    passMerged(news.hasUnknown ? nil : news.touched)
  }

  private func passMerged(
    _ keys: [Int: Set<Int64>]?,
    _ derivations: [ChangeSet.Derivation] = [],
    from source: ManagedObjectContext? = nil
  ) {
    for child in family.children where child.family.mergesFromParent {
      child.mergeFromParent(keys, derivations, from: source ?? self)
    }
  }

  /// Merges the rows that were left out while this context, or one above, had edits of them.
  func mergePutOff(from parent: ManagedObjectContext) {
    guard family.mergesFromParent, !mail.putOff.isEmpty else { return }
    let keys = mail.putOff.keys
    mail.putOff = DoubtfulRows()
    mergeFromParent(keys, from: parent)
  }

  /// Merges the parent's rows of objects; pending changes stay on top.
  ///
  /// They are no conflict then, but for those of what contexts from here to the source have changed and not saved.
  ///
  /// - Parameters:
  ///   - keys: Their keys by root entity; `nil` for all objects that the context has.
  ///   - derivations: What the store has computed for rows that nobody has named: those that the context has are read,
  ///     too.
  ///   - source: The context above that has merged something, or this one when the news is its parent's row.
  fileprivate func mergeFromParent(
    _ keys: [Int: Set<Int64>]?,
    _ derivations: [ChangeSet.Derivation] = [],
    from source: ManagedObjectContext
  ) {
    guard !mail.isReceiving else { return }
    family.isMerging = true
    defer {
      family.isMerging = false
      passMerged(keys, derivations, from: source)
    }
    relationships.forgetLoaded()
    membershipStamp &+= 1
    let conflicting: ConflictingRows =
      family.hidesNoConflict ? .ofOthers(than: [:]) : .ofEdits(in: contextsAbove(upTo: source))
    guard var keys else {
      return withoutUndo {
        reading(()) { () throws(PerennialError) in
          try readEverythingAgain(leaving: conflicting, passingOver: true)
        }
      }
    }
    var derived = DerivedRows()
    for derivation in derivations { derived.note(derivation, in: self) }
    keys.merge(derived.keys) { $0.union($1) }
    liveResults.note { news in
      for (root, keys) in keys { news.touch(keys, root: root) }
    }
    let objects = keys.flatMap { root, keys in
      keys.sorted().compactMap { homes[root].map.find($0)?.takeUnretainedValue() }
    }.filter { $0._row != nil && $0._state != .inserted && $0._state != .deletedInsertion }
    let changes = ObjectChanges(updated: Set(objects.map(\.objectID)))
    withoutUndo {
      reading(()) { () throws(PerennialError) in
        try readAgain(objects, gone: [], .named(changes), leaving: conflicting)
      }
      settlePairs()
    }
  }
}
