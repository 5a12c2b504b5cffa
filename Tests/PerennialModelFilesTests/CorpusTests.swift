// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialModelFiles
import Testing

/// Model files of public projects, whose origin and licence `Fixtures/models/INDEX.md` tells.
///
/// `PERENNIAL_MODEL_CORPUS` names a folder of others.
@Suite("Corpus: model files that Xcode has saved")
struct CorpusTests {
  static let files: [URL] = {
    let environment = ProcessInfo.processInfo.environment["PERENNIAL_MODEL_CORPUS"]
    let folder = environment.map { URL(filePath: $0) } ?? fixtures
    guard let folder,
      let names = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    else { return [] }
    return names.compactMap { $0 as? URL }.filter { $0.pathExtension == "xcdatamodel" }
      .sorted { $0.path < $1.path }
  }()

  private static let fixtures = Bundle.module.url(forResource: "Fixtures", withExtension: nil)

  @Test func `there are model files`() { #expect(Self.files.count >= 28) }

  @Test(arguments: files)
  func `a model is read, and is the same when it has been written`(_ file: URL) throws {
    let document = try ModelDocument(contentsOf: file)
    #expect(!document.model.entities.isEmpty)
    let again = try ModelDocument(document.contents, named: document.name)
    #expect(again.model == document.model)
    #expect(again.classes == document.classes)
    #expect(again.versionIdentifiers == document.versionIdentifiers)
    #expect(again.diagnostics.allSatisfy { $0.isError || $0.message.contains("has no inverse") })
    #expect(try again.contents == document.contents)
    #expect(
      again.model.entityVersionHashesByName == document.model.entityVersionHashesByName
    )
  }
}
