// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A terminal that a test looks at and types into, with one program running in it.
///
/// A thread reads what the program writes. ``screen(where:)`` waits for a picture without a clock.
public final class PseudoTerminal: Sendable {
  /// The program ended, or nobody waited for this picture any more.
  public struct NotShown: Error, CustomStringConvertible {
    /// What was shown last.
    public let description: String
  }

  /// The process.
  public let process: ChildProcess
  private let display: Display
  private let pictures: AsyncStream<TerminalScreen>

  /// What the thread reads from and writes to: it does not keep the terminal, whose end is the program's.
  private final class Display: Sendable {
    let control: Int32
    let screen: Mutex<TerminalScreen>

    init(control: Int32, rows: Int, columns: Int) {
      self.control = control
      screen = Mutex(TerminalScreen(rows: rows, columns: columns))
      resize(rows: rows, columns: columns)
    }

    deinit { close(control) }

    func resize(rows: Int, columns: Int) {
      var size = winsize(
        ws_row: UInt16(rows),
        ws_col: UInt16(columns),
        ws_xpixel: 0,
        ws_ypixel: 0
      )
      _ = ioctl(control, UInt(TIOCSWINSZ), &size)
    }

    func read(into picture: AsyncStream<TerminalScreen>.Continuation) {
      while true {
        // Safe because `read` writes at most the capacity, and the count is what it wrote.
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
          count = max(0, Foundation.read(control, buffer.baseAddress, buffer.count))
        }
        // At the end of the program the terminal has no more to give, or an error.
        if bytes.isEmpty { return }
        screen.withLock { screen in
          screen.write(bytes) { picture.yield($0) }
          if !screen.isUpdating { picture.yield(screen) }
        }
      }
    }
  }

  /// Starts a program in a new terminal.
  ///
  /// - Throws: `POSIXError` when there is no terminal, or the error of the start.
  public init(_ program: Program, _ arguments: [String], rows: Int = 24, columns: Int = 80) throws {
    let ends = try DescriptorPair.terminal()
    let display = Display(control: ends.first, rows: rows, columns: columns)
    self.display = display
    let (pictures, picture) = AsyncStream<TerminalScreen>.makeStream()
    self.pictures = pictures
    let terminal = ends.second
    process = try ChildProcess(
      program,
      arguments,
      input: terminal,
      output: terminal,
      errors: terminal
    )
    ends.closeSecond()
    Thread.detachNewThread {
      display.read(into: picture)
      picture.finish()
    }
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  /// The first picture, of those that were not asked for yet, that is as wanted.
  ///
  /// - Throws: ``NotShown`` when the program ends before.
  public func screen(
    where isWanted: (TerminalScreen) -> Bool
  ) async throws -> TerminalScreen {
    for await picture in pictures where isWanted(picture) { return picture }
    throw NotShown(description: current.text.joined(separator: "\n"))
  }

  /// What is shown now.
  public var current: TerminalScreen { display.screen.withLock { $0 } }

  /// Types some keys.
  public func type(_ text: String) {
    let bytes = Array(text.utf8)
    // Safe because the pointer is used only during the call, with the count that belongs to it.
    _ = bytes.withUnsafeBytes { write(display.control, $0.baseAddress, $0.count) }
  }

  /// Gives the terminal another size and tells the program.
  public func resize(rows: Int, columns: Int) {
    display.screen.withLock { $0.resize(rows: rows, columns: columns) }
    display.resize(rows: rows, columns: columns)
    kill(process.processIdentifier, SIGWINCH)
  }

  /// Waits for the end.
  ///
  /// - Returns: The exit code.
  public func status() async -> Int32 { await process.end().status }

  /// Whether keys come as they are typed, as a live list wants them.
  public var isRaw: Bool {
    var settings = termios()
    return tcgetattr(display.control, &settings) == 0 && settings.c_lflag & tcflag_t(ICANON) == 0
  }
}
