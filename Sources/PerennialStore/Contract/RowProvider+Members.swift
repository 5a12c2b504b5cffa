// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

// What a store does when it has no better way to read the members of several owners.

extension RowProvider {
  package func fetchMembers(
    of relationship: RelationshipLayout,
    owners: [Int64],
    limit: Int
  ) throws(PerennialError) -> MemberRows {
    var rows = MemberRows()
    for owner in owners.sorted() {
      if rows.isFull(for: owner, limit: limit) { break }
      let query = StoreQuery(
        entity: relationship.destination,
        scope: .related(relationship, owner: owner)
      )
      try fetchRows(query) { page in
        for index in 0..<page.count { rows.noteRow(of: owner, at: index) }
        rows.append(page)
      }
    }
    return rows
  }

  package func countMembers(
    of relationship: RelationshipLayout,
    owners: [Int64]
  ) throws(PerennialError) -> [Int64: Int] {
    var counts: [Int64: Int] = [:]
    for owner in owners {
      let query = StoreQuery(
        entity: relationship.destination,
        scope: .related(relationship, owner: owner)
      )
      let count = try count(query)
      if count > 0 { counts[owner] = count }
    }
    return counts
  }
}
