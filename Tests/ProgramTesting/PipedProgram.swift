// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A running program whose lines a test reads while it runs.
public final class PipedProgram: Sendable {
  /// The program ended before it wrote the line.
  public struct Ended: Error {}

  /// The process.
  public let process: ChildProcess
  private let output: AsyncStream<String>
  private let errors: AsyncStream<String>

  /// Starts the program.
  ///
  /// - Throws: `POSIXError` when it cannot be started.
  public init(_ program: Program, _ arguments: [String]) throws {
    let (outputs, errors) = (try DescriptorPair.pipe(), try DescriptorPair.pipe())
    let nothing = FileHandle.nullDevice
    process = try ChildProcess(
      program,
      arguments,
      input: nothing.fileDescriptor,
      output: outputs.second,
      errors: errors.second
    )
    outputs.closeSecond()
    errors.closeSecond()
    output = Self.lines(of: FileHandle(fileDescriptor: outputs.first, closeOnDealloc: true))
    self.errors = Self.lines(of: FileHandle(fileDescriptor: errors.first, closeOnDealloc: true))
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  /// The next line of standard output.
  public func line() async throws -> String { try await Self.next(output) }

  /// The next line of standard error.
  public func error() async throws -> String { try await Self.next(errors) }

  /// Waits for the end.
  ///
  /// - Returns: The exit code.
  public func status() async -> Int32 { await process.end().status }

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
