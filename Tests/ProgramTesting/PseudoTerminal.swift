// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
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
  public let process: Process
  private let control: Int32
  private let screen: Mutex<TerminalScreen>
  private let pictures: AsyncStream<TerminalScreen>
  private let end: AsyncStream<Void>

  /// Starts a program in a new terminal.
  ///
  /// - Throws: `POSIXError` when there is no terminal, or the error of the start.
  public init(_ program: Program, _ arguments: [String], rows: Int = 24, columns: Int = 80) throws {
    let (control, terminal) = try Self.open(rows: rows, columns: columns)
    self.control = control
    screen = Mutex(TerminalScreen(rows: rows, columns: columns))
    let (pictures, picture) = AsyncStream<TerminalScreen>.makeStream()
    self.pictures = pictures
    let (end, ending) = AsyncStream<Void>.makeStream()
    self.end = end
    process = Process()
    process.executableURL = program.executable
    process.arguments = arguments
    process.currentDirectoryURL = program.folder
    process.environment = program.environment
    process.terminationHandler = { _ in ending.finish() }
    let handle = FileHandle(fileDescriptor: terminal, closeOnDealloc: true)
    process.standardInput = handle
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
    try handle.close()
    Thread.detachNewThread { [self] in
      read(into: picture)
      picture.finish()
    }
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    close(control)
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
  public var current: TerminalScreen { screen.withLock { $0 } }

  /// Types some keys.
  public func type(_ text: String) {
    let bytes = Array(text.utf8)
    // Safe because the pointer is used only during the call, with the count that belongs to it.
    _ = bytes.withUnsafeBytes { write(control, $0.baseAddress, $0.count) }
  }

  /// Gives the terminal another size and tells the program.
  public func resize(rows: Int, columns: Int) {
    screen.withLock { $0.resize(rows: rows, columns: columns) }
    Self.setSize(control, rows: rows, columns: columns)
    kill(process.processIdentifier, SIGWINCH)
  }

  /// Waits for the end.
  ///
  /// - Returns: The exit code.
  public func status() async -> Int32 {
    for await _ in end {}
    return process.terminationStatus
  }

  /// Whether keys come as they are typed, as a live list wants them.
  public var isRaw: Bool {
    var settings = termios()
    return tcgetattr(control, &settings) == 0 && settings.c_lflag & tcflag_t(ICANON) == 0
  }

  private func read(into picture: AsyncStream<TerminalScreen>.Continuation) {
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

  private static func open(rows: Int, columns: Int) throws -> (control: Int32, terminal: Int32) {
    guard let (control, name) = newTerminal() else { throw lastError }
    _ = fcntl(control, F_SETFD, FD_CLOEXEC)
    setSize(control, rows: rows, columns: columns)
    let terminal = Foundation.open(name, O_RDWR | O_NOCTTY)
    guard terminal >= 0 else { throw lastError }
    return (control, terminal)
  }

  private static func newTerminal() -> (control: Int32, name: String)? {
    #if canImport(Darwin)
    let control = posix_openpt(O_RDWR | O_NOCTTY)
    guard control >= 0, grantpt(control) == 0, unlockpt(control) == 0,
      let name = ptsname(control)
    else { return nil }
    return (control, String(cString: name))
    #else
    // The functions of POSIX for this are not in the module map of the C library.
    let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)  // TIOCSPTLCK, TIOCGPTN
    let control = Foundation.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var lock: Int32 = 0
    var number: Int32 = 0
    guard control >= 0, ioctl(control, setLock, &lock) == 0, ioctl(control, getNumber, &number) == 0
    else { return nil }
    return (control, "/dev/pts/\(number)")
    #endif
  }

  private static var lastError: POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }

  private static func setSize(_ control: Int32, rows: Int, columns: Int) {
    var size = winsize(
      ws_row: UInt16(rows),
      ws_col: UInt16(columns),
      ws_xpixel: 0,
      ws_ypixel: 0
    )
    _ = ioctl(control, UInt(TIOCSWINSZ), &size)
  }
}
