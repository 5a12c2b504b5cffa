// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Runs a program as a child process, with a home of its own, from a folder.
struct Program {
  let executable: URL
  let folder: URL
  var environment: [String: String]

  /// The built program `commits`, which lies beside the tests, in the folder that holds a
  /// repository.
  static func commits(in repository: TestRepository) -> Program {
    var environment = repository.environment
    environment["TZ"] = "Asia/Tokyo"
    return Program(
      executable: builtPrograms.appendingPathComponent("commits"),
      folder: repository.root,
      environment: environment
    )
  }

  private static var builtPrograms: URL {
    #if canImport(Darwin)
    let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
    return tests.bundleURL.deletingLastPathComponent()
    #else
    return Bundle.main.bundleURL
    #endif
  }

  /// How a run ended.
  struct Result {
    /// The exit code; the signal when ``wasKilled``.
    var status: Int32
    var wasKilled: Bool
    var output: Data
    var errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

    func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
      try JSONDecoder().decode(type, from: output)
    }
  }

  /// A run that has begun.
  struct Run {
    let process: Process
    private let place: URL
    private let end: AsyncStream<Void>

    /// Starts the program.
    ///
    /// Its output goes to files, so that no full pipe can stop it.
    init(_ program: Program, _ arguments: [String]) throws {
      place = program.folder.appendingPathComponent("run-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      process = Process()
      process.executableURL = program.executable
      process.arguments = arguments
      process.currentDirectoryURL = program.folder
      process.environment = program.environment
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = try Self.file(place.appendingPathComponent("output"))
      process.standardError = try Self.file(place.appendingPathComponent("errors"))
      // `waitUntilExit()` notices the end late on Linux.
      let (end, ending) = AsyncStream<Void>.makeStream()
      process.terminationHandler = { _ in ending.finish() }
      self.end = end
      try process.run()
    }

    private static func file(_ url: URL) throws -> FileHandle {
      try Data().write(to: url)
      return try FileHandle(forWritingTo: url)
    }

    /// Waits for the end.
    func result() async throws -> Result {
      for await _ in end {}
      defer { try? FileManager.default.removeItem(at: place) }
      let errors = try Data(contentsOf: place.appendingPathComponent("errors"))
      return Result(
        status: process.terminationStatus,
        wasKilled: process.terminationReason == .uncaughtSignal,
        output: try Data(contentsOf: place.appendingPathComponent("output")),
        errors: String(decoding: errors, as: UTF8.self)
      )
    }
  }

  func start(_ arguments: [String]) throws -> Run { try Run(self, arguments) }

  /// Runs the program to its end.
  func run(_ arguments: String...) async throws -> Result { try await run(arguments) }

  /// Runs the program to its end.
  func run(_ arguments: [String]) async throws -> Result {
    try await start(arguments).result()
  }
}
