// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The size of a terminal in characters.
public struct TerminalSize: Sendable, Hashable {
  /// The number of lines.
  public var rows: Int
  /// The number of columns.
  public var columns: Int

  /// Makes a size.
  public init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }

  /// The size of the terminal that shows standard output, 24 lines of 80 columns if it does not say.
  public static var current: TerminalSize { ofOutput ?? TerminalSize(rows: 24, columns: 80) }

  /// The size of the terminal that shows standard output, nil when it does not say.
  static var ofOutput: TerminalSize? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return TerminalSize(rows: max(1, Int(size.ws_row)), columns: Int(size.ws_col))
  }
}
