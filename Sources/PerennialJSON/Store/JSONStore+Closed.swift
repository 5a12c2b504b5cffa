// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel

// What can be asked of a file that is not open, without its model.

extension JSONStore {
  /// What a file says about itself: identifier, versions of the entities, metadata.
  ///
  /// The whole file is checked for damage, but its objects are not read.
  ///
  /// - Parameter url: The file.
  /// - Returns: The header.
  /// - Throws: `persistentStoreOpen`: what is wrong with the file.
  package static func header(of url: URL) throws(PerennialError) -> StoreHeader {
    try HeaderLoader.header(of: StoreFile(url))
  }

  /// The files that belong to a store beside its own: the lock, and what a crash may have left.
  ///
  /// - Parameter url: The store's file.
  /// - Returns: The files, whether they exist or not.
  /// - Throws: `persistentStoreOpen` for a URL that is none of a file.
  package static func companions(of url: URL) throws(PerennialError) -> [URL] {
    let file = try StoreFile(url)
    return [file.lockPath, file.nextPath].map { URL(filePath: $0) }
  }

  /// Calls a closure while nobody else can write a store.
  ///
  /// - Parameters:
  ///   - url: The store's file; it need not exist.
  ///   - patience: How long to wait for whoever writes.
  ///   - body: What to do, for example to copy the file or to put another one in its place.
  /// - Returns: What the closure returns.
  /// - Throws: `persistentStoreTimeout`, why the lock's file cannot be made, or what the closure throws.
  package static func withLock<Result>(
    of url: URL,
    patience: Duration,
    _ body: () throws(PerennialError) -> Result
  ) throws(PerennialError) -> Result {
    let file = try StoreFile(url)
    let lock: (any FileLock)?
    do throws(FileFailure) {
      lock = try SystemFiles().lock(file.lockPath, patience: patience)
    } catch {
      throw PerennialError(error, during: .saving, store: file.name)
    }
    guard lock != nil else { throw .locked(file.name) }
    defer { withExtendedLifetime(lock) {} }
    return try body()
  }
}
