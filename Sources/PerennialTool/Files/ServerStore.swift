// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import ConsoleStore
import Foundation
import Perennial
import PerennialModelFiles
import PerennialStore

/// A store on a server that was named on the command line.
struct ServerStore: NamedStore {
  private let store: StoreDescription
  let name: String

  /// Reads an address.
  ///
  /// - Throws: ``CommandFailure`` when it is none, and in a program that was built without the trait for it.
  init(_ text: String) throws(CommandFailure) {
    let address = try ServerAddress(text)
    store = try address.store()
    name = address.shown
  }

  var title: String { store.server?.name ?? "" }

  var description: StoreDescription {
    var description = store
    description.isReadOnly = true
    return description
  }

  /// How the library opens it to write it.
  var target: StoreDescription { store }

  func storedHashes() throws(PerennialError) -> [String: Data] {
    try store.server?.storedModel().hashes.byEntity ?? [:]
  }

  func storedModel() throws(PerennialError) -> ModelDocument? {
    try store.server?.storedModel().model.map { ModelDocument($0, named: name) }
  }

  func finish() {}
}
