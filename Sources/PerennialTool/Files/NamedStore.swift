// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModelFiles

/// A store that was named on the command line, to be read: a file, or one on a server.
protocol NamedStore {
  /// What messages call it, without a password.
  var name: String { get }

  /// What people call its kind.
  var title: String { get }

  /// How the library opens it to read it.
  var description: StoreDescription { get }

  /// The version hashes of the model that it was written with.
  ///
  /// - Throws: `PerennialError` when it is no store; none are known of a store that cannot tell before it is opened.
  func storedHashes() throws(PerennialError) -> [String: Data]

  /// The copy of the model that it holds; nil when it holds none.
  func storedModel() throws(PerennialError) -> ModelDocument?

  /// Makes sure that what was read is the store's, after it has been read.
  func finish() throws
}
