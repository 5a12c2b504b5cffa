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

/// A running program that has inherited nothing but its three streams.
///
/// On Linux, Foundation's `Process` hands on whatever other threads open while it starts a program.
/// A program that runs for long would then keep the pipes of others open, and those would wait for
/// their ends for ever.
public final class ChildProcess: Sendable {
  /// How a program ended.
  public struct End: Sendable, Hashable {
    /// The exit code; the signal when ``wasKilled``.
    public var status: Int32
    /// Whether a signal ended it.
    public var wasKilled: Bool
  }

  /// The number of the process.
  public let processIdentifier: Int32
  private let ended: AsyncStream<Void>
  private let hasEnded = DispatchSemaphore(value: 0)
  private let result = Mutex<End?>(nil)

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: The program with its folder and environment.
  ///   - arguments: The arguments.
  ///   - input: Where it reads; the caller closes it.
  ///   - output: Where it writes; the caller closes it.
  ///   - errors: Where it writes errors; the caller closes it.
  /// - Throws: `POSIXError` when it cannot be started.
  init(
    _ program: Program,
    _ arguments: [String],
    input: Int32,
    output: Int32,
    errors: Int32
  ) throws {
    processIdentifier = try Self.start(program, arguments, streams: [input, output, errors])
    let (ended, ending) = AsyncStream<Void>.makeStream()
    self.ended = ended
    Thread.detachNewThread { [self] in
      wait()
      hasEnded.signal()
      ending.finish()
    }
  }

  /// Whether the program has not ended yet.
  public var isRunning: Bool { result.withLock { $0 == nil } }

  /// Waits for the end.
  public func end() async -> End {
    for await _ in ended {}
    return result.withLock { $0 } ?? End(status: -1, wasKilled: false)
  }

  /// Waits for the end on the thread of the caller.
  func waitForEnd() {
    hasEnded.wait()
    hasEnded.signal()
  }

  private func wait() {
    var status: Int32 = 0
    while waitpid(processIdentifier, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    let end = End(status: signal == 0 ? (status >> 8) & 0xFF : signal, wasKilled: signal != 0)
    result.withLock { $0 = end }
  }

  private static func start(
    _ program: Program,
    _ arguments: [String],
    streams: [Int32]
  ) throws -> Int32 {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (number, stream) in streams.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
    }
    var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    #if canImport(Darwin)
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    posix_spawn_file_actions_addchdir_np(&actions, program.folder.path)
    #else
    try addFolderAndClosing(program.folder.path, to: &actions)
    #endif
    // A thread of dispatch blocks signals, and the tests ignore some: the program must not.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(flags))

    let environment = program.environment.map { "\($0.key)=\($0.value)" }
    return try withPointers(to: [program.executable.path] + arguments) { arguments in
      try withPointers(to: environment) { environment in
        var identifier: pid_t = 0
        let path = program.executable.path
        let error = posix_spawn(&identifier, path, &actions, &attributes, arguments, environment)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
        return identifier
      }
    }
  }

  #if !canImport(Darwin)
  /// Makes the program begin in a folder, with no open file but its streams.
  private static func addFolderAndClosing(
    _ folder: String,
    to actions: inout posix_spawn_file_actions_t
  ) throws {
    typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>
    typealias AddFolder = @convention(c) (Actions, UnsafePointer<CChar>) -> Int32
    typealias AddClosing = @convention(c) (Actions, Int32) -> Int32
    // The C library declares both for GNU sources only.
    guard let addFolder = dlsym(nil, "posix_spawn_file_actions_addchdir_np") else {
      throw POSIXError(.ENOSYS)
    }
    // Safe because the C library's manual gives the functions these types.
    _ = unsafeBitCast(addFolder, to: AddFolder.self)(&actions, folder)
    if let addClosing = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
      _ = unsafeBitCast(addClosing, to: AddClosing.self)(&actions, 3)
    }
  }
  #endif

  /// Calls a closure with the texts as C wants them: pointers, and a null pointer at the end.
  private static func withPointers<Result>(
    to texts: [String],
    _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Result
  ) rethrows -> Result {
    // Safe because the copies live until the closure returns.
    let pointers = texts.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return try body(pointers + [nil])
  }
}
