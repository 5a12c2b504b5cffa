// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// A running program whose lines a test reads while it runs.
public final class PipedProgram: Sendable {
  /// The program ended before it wrote the line.
  public struct Ended: Error {}

  /// The process.
  public let process: Process
  private let output: AsyncStream<String>
  private let errors: AsyncStream<String>
  private let end: AsyncStream<Void>

  /// Starts the program.
  public init(_ program: Program, _ arguments: [String]) throws {
    let (outputPipe, errorPipe) = (Pipe(), Pipe())
    process = Process()
    process.executableURL = program.executable
    process.arguments = arguments
    process.currentDirectoryURL = program.folder
    process.environment = program.environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = outputPipe
    process.standardError = errorPipe
    let (end, ending) = AsyncStream<Void>.makeStream()
    self.end = end
    process.terminationHandler = { _ in ending.finish() }
    output = Self.lines(of: outputPipe.fileHandleForReading)
    errors = Self.lines(of: errorPipe.fileHandleForReading)
    try process.run()
    try outputPipe.fileHandleForWriting.close()
    try errorPipe.fileHandleForWriting.close()
  }

  deinit {
    if process.isRunning { process.terminate() }
  }

  /// The next line of standard output.
  public func line() async throws -> String { try await Self.next(output) }

  /// The next line of standard error.
  public func error() async throws -> String { try await Self.next(errors) }

  /// Waits for the end.
  ///
  /// - Returns: The exit code.
  public func status() async -> Int32 {
    for await _ in end {}
    return process.terminationStatus
  }

  private static func next(_ lines: AsyncStream<String>) async throws -> String {
    for await line in lines { return line }
    throw Ended()
  }

  /// Reads on a thread of its own.
  private static func lines(of handle: FileHandle) -> AsyncStream<String> {
    let (lines, line) = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
      var rest = Data()
      while true {
        let bytes = handle.availableData
        if bytes.isEmpty { break }
        rest += bytes
        while let end = rest.firstIndex(of: 0x0A) {
          line.yield(String(decoding: rest[..<end], as: UTF8.self))
          rest = Data(rest[(end + 1)...])
        }
      }
      line.finish()
    }
    return lines
  }
}
