// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// Runs a program as a child process, with a home of its own, from a folder.
public struct Program: Sendable {
  /// The program's file.
  public let executable: URL
  /// The folder that it runs in.
  public let folder: URL
  /// Its environment variables.
  public var environment: [String: String]

  /// Makes a program.
  ///
  /// When the tests are measured for what they reach, it is, too, and writes that where they do; a sanitizer that
  /// watches them watches it in the same way.
  public init(executable: URL, folder: URL, environment: [String: String]) {
    self.executable = executable
    self.folder = folder
    self.environment = environment
    for name in ["LLVM_PROFILE_FILE", "ASAN_OPTIONS", "TSAN_OPTIONS"] {
      self.environment[name] = ProcessInfo.processInfo.environment[name]
    }
  }

  /// A built program, which lies beside the tests.
  public static func built(_ name: String, in folder: URL, environment: [String: String]) -> Program
  {
    Program(
      executable: builtPrograms.appendingPathComponent(name),
      folder: folder,
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
  public struct Result: Sendable {
    /// The exit code; the signal when ``wasKilled``.
    public var status: Int32
    /// Whether a signal ended it.
    public var wasKilled: Bool
    /// What it wrote to standard output.
    public var output: Data
    /// What it wrote to standard error.
    public var errors: String

    /// The output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }
    /// The lines of the output.
    public var lines: [String] { text.split(separator: "\n").map(String.init) }
    /// The lines of standard error.
    public var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

    /// The output as JSON.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
      try JSONDecoder().decode(type, from: output)
    }
  }

  /// A run that has begun.
  public struct Run: Sendable {
    /// The process.
    public let process: ChildProcess
    private let place: URL

    /// Starts the program.
    ///
    /// Its output goes to files, so that no full pipe can stop it.
    init(_ program: Program, _ arguments: [String]) throws {
      place = program.folder.appendingPathComponent("run-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      let output = try Self.file(place.appendingPathComponent("output"))
      let errors = try Self.file(place.appendingPathComponent("errors"))
      let nothing = FileHandle.nullDevice
      process = try ChildProcess(
        program,
        arguments,
        input: nothing.fileDescriptor,
        output: output.fileDescriptor,
        errors: errors.fileDescriptor
      )
      try output.close()
      try errors.close()
    }

    private static func file(_ url: URL) throws -> FileHandle {
      try Data().write(to: url)
      return try FileHandle(forWritingTo: url)
    }

    /// Waits for the end on a thread of the caller.
    ///
    /// - Returns: The output.
    func outputWithoutTask() -> Data {
      process.waitForEnd()
      defer { try? FileManager.default.removeItem(at: place) }
      return (try? Data(contentsOf: place.appendingPathComponent("output"))) ?? Data()
    }

    /// Waits for the end.
    public func result() async throws -> Result {
      let end = await process.end()
      defer { try? FileManager.default.removeItem(at: place) }
      let errors = try Data(contentsOf: place.appendingPathComponent("errors"))
      return Result(
        status: end.status,
        wasKilled: end.wasKilled,
        output: try Data(contentsOf: place.appendingPathComponent("output")),
        errors: String(decoding: errors, as: UTF8.self)
      )
    }
  }

  /// Starts the program.
  public func start(_ arguments: [String]) throws -> Run { try Run(self, arguments) }

  /// Runs the program to its end.
  public func run(_ arguments: String...) async throws -> Result { try await run(arguments) }

  /// Runs the program to its end.
  public func run(_ arguments: [String]) async throws -> Result {
    try await start(arguments).result()
  }

  /// Runs the program to its end on a thread of the caller.
  ///
  /// - Returns: Its output.
  public func outputWithoutTask(_ arguments: [String]) throws -> Data {
    let run = try Run(self, arguments)
    return run.outputWithoutTask()
  }
}
