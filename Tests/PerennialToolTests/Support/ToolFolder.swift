// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import ProgramTesting

/// A folder for one test, with copies of the fixtures and the built program.
final class ToolFolder: Sendable {
  let url: URL
  let program: Program

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "tool-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: url.appending(path: "temporary"),
      withIntermediateDirectories: true
    )
    program = .built(
      "perennial",
      in: url,
      environment: ["HOME": url.path, "TMPDIR": url.appending(path: "temporary").path]
    )
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appending(path: name) }

  /// Copies a fixture, and gives its name.
  @discardableResult
  func copy(_ fixture: String) throws -> String {
    let source = Bundle.module.url(forResource: "Fixtures", withExtension: nil)
    guard let source else { throw CocoaError(.fileNoSuchFile) }
    try FileManager.default.copyItem(at: source.appending(path: fixture), to: file(fixture))
    return fixture
  }

  /// Copies the model of the tests.
  func copyModel() throws -> String { try copy("Library.xcdatamodeld") }

  func run(_ arguments: String...) async throws -> Program.Result {
    try await program.run(arguments)
  }

  /// Every file below a folder with its bytes, by its path.
  func contents(of folder: String) throws -> [String: Data] {
    let root = file(folder)
    var contents: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
      let url = root.appending(path: path)
      let isFolder = try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
      contents[path] = isFolder ? Data() : try Data(contentsOf: url)
    }
    return contents
  }

  /// The files that the program has left in the temporary folder.
  func temporaryFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: file("temporary").path)
  }
}
