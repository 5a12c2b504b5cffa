// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialModel
import PerennialStore

extension PostgresStore {
  /// A number that tells whether two change sets of this process write the same.
  ///
  /// What is derived follows from the rest. It is asked for after a connection was lost during a commit only.
  ///
  /// Safe because the pages belong to the change set, which outlives the call.
  func digest(of changes: ChangeSet) -> Int {
    var hasher = Hasher()
    func combine(_ pages: [RowPage], _ packer: RowPacker) {
      // Whatever order they are in.
      var sum = 0
      for page in pages {
        for index in 0..<page.count {
          let row = page.row(index)
          var fields = PostgresFields()
          fields.append(PackedRow.key(row))
          fields.append(Int64(PackedRow.version(row)))
          packer.packRow(row, into: &fields)
          sum &+= fields.bytes.hashValue
        }
      }
      hasher.combine(sum)
    }
    for insertion in changes.insertions {
      hasher.combine(insertion.entity)
      combine(insertion.pages, packers[insertion.entity])
    }
    for update in changes.updates {
      hasher.combine(update.entity)
      hasher.combine(update.slots)
      combine(
        update.pages,
        RowPacker(entity: update.entity, slots: update.slots, schema: schema)
      )
    }
    for deletion in changes.deletions {
      hasher.combine(deletion.entity)
      for row in deletion.rows {
        hasher.combine(row.key)
        hasher.combine(row.version)
      }
    }
    for link in changes.links {
      hasher.combine(link.link)
      hasher.combine(Set(link.added))
      hasher.combine(Set(link.removed))
    }
    for order in changes.orders {
      hasher.combine(order.relationship.name)
      hasher.combine(order.owner)
      hasher.combine(order.members)
    }
    return hasher.finalize()
  }
}
#endif
