// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialStore

/// Puts a new text of a store in the place of the old one, so that at every moment, whatever happens,
/// one of the two is there wholly.
///
/// The new text is written to a file beside the store and brought to the disk; then it takes the
/// store's name in one step, and that is brought to the disk, too. The steps before that one leave the
/// store as it was.
struct DurableWriter {
  let files: any FileSystem
  let file: StoreFile
  /// Whether to wait until the store's name is on the disk.
  ///
  /// Without it, what was saved survives the end of the process, but perhaps not of the machine. For the text itself
  /// it waits in any case: a name that leads to half a text would be a damaged store, and not an older one.
  let waitsForDisk: Bool

  /// A text that is written, but not yet the store's.
  struct Prepared {
    let file: any OpenFile
    let status: FileStatus
  }

  /// Writes a text beside the store; nothing is left of it when that fails.
  func prepare(
    permissions: UInt32?,
    _ write: (any OpenFile) throws(FileFailure) -> Void
  ) throws(FileFailure) -> Prepared {
    // What an earlier process left when it ended in the middle.
    try files.remove(file.nextPath)
    let next = try files.create(file.nextPath, permissions: permissions)
    do throws(FileFailure) {
      try write(next)
      try next.sync()
      return Prepared(file: next, status: try next.status())
    } catch {
      discard()
      throw error
    }
  }

  /// Gives a text the store's name; nothing is left of it when that fails.
  func put() throws(FileFailure) {
    do throws(FileFailure) {
      try files.rename(file.nextPath, to: file.path)
    } catch {
      discard()
      throw error
    }
  }

  /// Waits until the store's name is on the disk.
  func confirm() throws(FileFailure) {
    if waitsForDisk { try files.syncFolder(of: file.path) }
  }

  private func discard() { try? files.remove(file.nextPath) }
}
