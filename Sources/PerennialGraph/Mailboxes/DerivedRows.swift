// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// The objects of a context whose derived attributes a store has computed for others' saves.
///
/// A save does not say the values: it does not know what else was stored at its time.
struct DerivedRows {
  /// The keys of loaded objects by root entity.
  private(set) var keys: [Int: Set<Int64>] = [:]

  var isEmpty: Bool { keys.isEmpty }

  /// Notes a registered object.
  mutating func note(_ object: ManagedObject) {
    guard object._row != nil, object._key > 0, let home = object._home else { return }
    keys[home.pointee.layout.root, default: []].insert(object._key)
  }

  /// Notes the registered objects for which a store has computed an attribute.
  mutating func note(_ derivation: ChangeSet.Derivation, in context: ManagedObjectContext) {
    let home = context.homes[derivation.entity]
    for key in derivation.owners + derivation.reached {
      if let known = home.root.pointee.map.find(key) { note(known.takeUnretainedValue()) }
    }
    guard derivation.hasTargets, case .path(let steps, _, _) = derivation.source else { return }
    // Of what is further away this context may not have the objects in between.
    let isNear = derivation.targets.dropFirst().allSatisfy(\.isEmpty)
    let targets = isNear ? Set(derivation.targets[0]) : nil
    var leading: [ManagedObject] = []
    home.root.pointee.map.visit { object in
      guard let index = object._home?.pointee.index, home.family.contains(index),
        let row = object._edit?.pointee.committedRow ?? object._row
      else { return }
      let key = PackedRow.reference(row, steps[0].slot).key
      if key > 0, targets?.contains(key) != false { leading.append(object) }
    }
    for object in leading { note(object) }
  }

  /// The stored rows.
  func read(from store: any RowProvider) throws(PerennialError) -> [PageRow] {
    var rows: [PageRow] = []
    for (root, keys) in keys.sorted(by: { $0.key < $1.key }) {
      try store.fetchRows(StoreQuery(entity: root, scope: .keys(keys.sorted()))) { page in
        for index in 0..<page.count { rows.append(PageRow(page: page, index: index)) }
      }
    }
    return rows
  }
}
