// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialModel
import PerennialStore

extension ChangeSet {
  /// The pages of new and of changed rows with their entities.
  var writtenPages: [(entity: Int, pages: [RowPage])] {
    insertions.map { ($0.entity, $0.pages) } + updates.map { ($0.entity, $0.pages) }
  }
}

/// Finds the text with a NUL that the server refuses.
struct NULSearch {
  private let model: ModelLayout

  init(_ model: ModelLayout) { self.model = model }

  /// The error that names the first of them; `nil` when there is none.
  ///
  /// Safe because the pages belong to the change set, which outlives the call.
  func problem(in changes: ChangeSet) -> PerennialError? {
    for (entity, pages) in changes.writtenPages {
      let layout = model.entities[entity]
      let slots = layout.slots.indices.filter { slot in
        let type = layout.slots[slot].attributeType
        return !layout.slots[slot].isTransient && (type == .string || type == .url)
      }
      for page in pages {
        for index in 0..<page.count {
          let row = page.row(index)
          let slot = slots.first {
            !PackedRow.isNull(row, $0) && PackedRow.bytes(row, $0).contains(0)
          }
          if let slot { return problem(layout, slot) }
        }
      }
    }
    return nil
  }

  private func problem(_ entity: EntityLayout, _ slot: Int) -> PerennialError {
    let property = entity.slots[slot].name
    return PerennialError(
      .validation,
      "'\(entity.name).\(property)' has a text with a NUL (U+0000), which PostgreSQL cannot store.",
      recovery: "remove it, or make the attribute binary data; nothing was saved",
      entity: entity.name,
      property: property
    )
  }
}
#endif
