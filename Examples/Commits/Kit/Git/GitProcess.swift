// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Dispatch
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// One run of git, from its start to its end.
///
/// Both outputs are read together, as git would wait for ever when one of the pipes was full.
/// Foundation's `waitUntilExit()` notices the end up to 50 ms late on Linux, so the termination
/// handler raises a semaphore instead.
struct GitProcess {
  private let process = Process()
  private let outputPipe = Pipe()
  private let errorPipe = Pipe()
  private let hasEnded = DispatchSemaphore(value: 0)
  private var errorBytes: [UInt8] = []

  /// How often to look for an interruption while git is silent, in milliseconds.
  private static let patience: Int32 = 100
  private static let errorCapacity = 65_536

  init(
    _ executable: URL,
    _ arguments: [String],
    in folder: URL,
    environment: [String: String]
  ) {
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = environment
    process.standardOutput = outputPipe
    process.standardError = errorPipe
    process.standardInput = FileHandle.nullDevice
    process.terminationHandler = { [hasEnded] _ in hasEnded.signal() }
  }

  mutating func run(
    input: ((FileHandle) throws -> Void)?,
    output: ([UInt8]) throws -> Void
  ) throws -> Git.Outcome {
    let inputPipe = input == nil ? nil : Pipe()
    if let inputPipe { process.standardInput = inputPipe }
    try process.run()
    do {
      if let input, let inputPipe {
        try input(inputPipe.fileHandleForWriting)
        try inputPipe.fileHandleForWriting.close()
      }
      try read(output)
    } catch {
      // Git inherits the signals that a dispatch thread blocks, and SIGTERM is one of them.
      _ = kill(process.processIdentifier, SIGKILL)
      hasEnded.wait()
      throw error
    }
    hasEnded.wait()
    return Git.Outcome(
      status: process.terminationStatus,
      errorText: String(decoding: errorBytes, as: UTF8.self)
    )
  }

  /// Reads both pipes until both are at their end.
  private mutating func read(_ output: ([UInt8]) throws -> Void) throws {
    var open = [
      outputPipe.fileHandleForReading.fileDescriptor,
      errorPipe.fileHandleForReading.fileDescriptor,
    ].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let errors = open[1].fd
    while !open.isEmpty {
      try Interruption.check()
      guard poll(&open, nfds_t(open.count), Self.patience) > 0 else { continue }
      for state in open where state.revents != 0 {
        guard let bytes = Self.bytes(from: state.fd) else {
          open.removeAll { $0.fd == state.fd }
          continue
        }
        if state.fd == errors {
          errorBytes += bytes.prefix(Self.errorCapacity - errorBytes.count)
        } else {
          try output(bytes)
        }
      }
    }
  }

  /// What is there to read, nil at the end.
  private static func bytes(from descriptor: Int32) -> [UInt8]? {
    // Safe because `read` writes at most the capacity, and the count is what it wrote.
    let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
      count = max(0, Foundation.read(descriptor, buffer.baseAddress, buffer.count))
    }
    return bytes.isEmpty ? nil : bytes
  }
}
