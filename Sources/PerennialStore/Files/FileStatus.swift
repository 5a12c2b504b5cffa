// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Which file it is, and what tells whether it has been written.
package struct FileStatus: Sendable, Hashable {
  package enum Kind: Sendable { case file, folder, other }

  package var kind: Kind
  package var device: UInt64
  package var number: UInt64
  package var byteCount: Int
  /// When it was written: seconds and nanoseconds.
  package var seconds: Int
  package var nanoseconds: Int
  package var permissions: UInt32

  package init(
    kind: Kind = .file,
    device: UInt64 = 0,
    number: UInt64,
    byteCount: Int,
    seconds: Int = 0,
    nanoseconds: Int = 0,
    permissions: UInt32 = 0o644
  ) {
    self.kind = kind
    self.device = device
    self.number = number
    self.byteCount = byteCount
    self.seconds = seconds
    self.nanoseconds = nanoseconds
    self.permissions = permissions
  }

  /// Whether this is the same file as another, as long as one of them is open.
  package func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && number == other.number
  }

  /// Whether this is the same file as another, not written in between.
  package func isUnchanged(since other: FileStatus) -> Bool {
    isSameFile(as: other) && byteCount == other.byteCount
      && seconds == other.seconds && nanoseconds == other.nanoseconds
  }
}
