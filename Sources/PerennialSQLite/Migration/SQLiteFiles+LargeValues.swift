// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
import PerennialSQL
import PerennialStore

// A draft writes its large values beside those of its store, and removes none: what is named by nobody in
// the end, the migration removes.

extension SQLiteFiles {
  package func largeValues(beside url: URL) throws(PerennialError) -> Set<String>? {
    let names = StoreNames(url)
    do throws(FileFailure) {
      return try ExternalData.isShared(by: names.url) ? nil : names.externalNames()
    } catch {
      throw PerennialError(
        .migration,
        "The large values of the store '\(names.name)' cannot be listed: \(error.message).",
        recovery: "check the disk and try again; the store is as it was",
        underlying: error
      )
    }
  }

  package func largeValues(
    namedBy draft: URL,
    _ model: ModelLayout
  ) throws(PerennialError) -> Set<String> {
    let file = try existing(draft)
    return try use(file, isReadOnly: false) { connection throws(PerennialError) in
      try translating(file, .reading) { () throws(SQLiteFailure) in
        guard let schema = try StoreSchema.stored(on: connection, model) else { return [] }
        return try LargeValues.names(schema, on: connection)
      }
    }
  }

  package func removeLargeValues(_ names: Set<String>, beside url: URL) {
    ExternalData(store: url).remove(names)
  }

  package func sharesLargeValues(_ other: URL, with url: URL) -> Bool {
    StoreNames(other).sharesLargeValues(with: StoreNames(url))
  }
}
