// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialModelFiles
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

@Suite("FORMAT 1.1: where models lie")
struct FileTests {
  /// A folder of a test, deleted with it.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file, and the folders that it is in.
    func write(_ data: Data, to path: String) throws {
      let file = url.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try data.write(to: file)
    }
  }

  /// A model of two versions, of which one is in use.
  private func versions(current: String?) throws -> Folder {
    let folder = Folder()
    for (version, entity) in [("Library", "Book"), ("Library 2", "Volume")] {
      try folder.write(
        modelFile("<entity name=\"\(entity)\"/>"),
        to: "Library.xcdatamodeld/\(version).xcdatamodel/contents"
      )
    }
    guard let current else { return folder }
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["_XCCurrentVersionName": current],
      format: .xml,
      options: 0
    )
    try folder.write(list, to: "Library.xcdatamodeld/.xccurrentversion")
    return folder
  }

  private func error(_ url: URL) throws -> PerennialError {
    try #require(throws: PerennialError.self) { try ModelDocument(contentsOf: url) }
  }

  @Test func `the version in use is read, and every other one by its name`() throws {
    let folder = try versions(current: "Library 2.xcdatamodel")
    let url = folder.url.appending(path: "Library.xcdatamodeld")
    let file = try ModelFile(contentsOf: url)
    #expect(file.versionNames == ["Library", "Library 2"])
    #expect(try file.currentVersionName == "Library 2")
    #expect(try file.current().name == "Library 2")
    #expect(try ManagedObjectModel(contentsOf: url).entities.map(\.name) == ["Volume"])
    #expect(try file.version(named: "Library").model.entities.map(\.name) == ["Book"])
    let unknown = #expect(throws: PerennialError.self) { try file.version(named: "Library 3") }
    #expect(unknown?.recovery.contains("did you mean") == true)
  }

  @Test func `one version needs no note of which is in use`() throws {
    let folder = Folder()
    let path = "One.xcdatamodeld/One.xcdatamodel"
    try folder.write(modelFile("<entity name=\"Book\"/>"), to: "\(path)/contents")
    for place in ["One.xcdatamodeld", path, "\(path)/contents"] {
      let document = try ModelDocument(contentsOf: folder.url.appending(path: place))
      #expect(document.name == "One")
      #expect(document.model.entities.map(\.name) == ["Book"])
    }
  }

  @Test func `a version is named with or without its ending`() throws {
    let folder = try versions(current: "Library 2")
    let file = try ModelFile(contentsOf: folder.url.appending(path: "Library.xcdatamodeld"))
    #expect(try file.currentVersionName == "Library 2")
  }

  @Test(arguments: [nil, "Library 3.xcdatamodel"])
  func `every version is read by its name though none is in use`(_ current: String?) throws {
    let folder = try versions(current: current)
    let file = try ModelFile(contentsOf: folder.url.appending(path: "Library.xcdatamodeld"))
    #expect(file.versionNames == ["Library", "Library 2"])
    #expect(try file.version(named: "Library").model.entities.map(\.name) == ["Book"])
    #expect(throws: PerennialError.self) { try file.currentVersionName }
  }

  @Test func `a note of the version in use that is damaged is an error that says so`() throws {
    let folder = try versions(current: nil)
    try folder.write(Data("<plist>".utf8), to: "Library.xcdatamodeld/.xccurrentversion")
    let error = try error(folder.url.appending(path: "Library.xcdatamodeld"))
    #expect(error.message.contains("'.xccurrentversion', which says which is in use, is damaged"))
  }

  @Test(arguments: [nil, "Library 3.xcdatamodel"])
  func `several versions of which none is in use are an error`(_ current: String?) throws {
    let folder = try versions(current: current)
    let error = try error(folder.url.appending(path: "Library.xcdatamodeld"))
    #expect(error.code == .invalidModel)
    #expect(error.message.contains(current == nil ? ".xccurrentversion" : "'Library 3'"))
  }

  @Test func `damaged compiled models and old ones are refused with what to do`() throws {
    let folder = Folder()
    try folder.write(Data("bplist00".utf8), to: "A.momd/A.mom")
    try folder.write(Data("bplist00".utf8), to: "Old.xcdatamodel/elements")
    for path in ["A.momd", "A.momd/A.mom"] {
      let error = try error(folder.url.appending(path: path))
      #expect(error.message.contains("compiled"))
      #expect(error.recovery.contains(".xcdatamodeld"))
    }
    let old = try error(folder.url.appending(path: "Old.xcdatamodel"))
    #expect(old.message.contains("older than Xcode 4"))
  }

  @Test(arguments: [
    (nil, "no 'VersionInfo.plist' says which is in use"),
    ([:], "its 'VersionInfo.plist' does not say which is in use"),
    (["NSManagedObjectModel_CurrentVersionName": "C"], "its current version 'C' is not there"),
    (["NSManagedObjectModel_CurrentVersionName": "B"], "'B' cannot be read"),
  ])
  func `a compiled model says which of its versions is in use`(
    _ info: [String: String]?,
    _ words: String
  ) throws {
    let folder = Folder()
    for name in ["A", "B"] { try folder.write(Data("bplist00".utf8), to: "M.momd/\(name).mom") }
    if let info {
      let list = try PropertyListSerialization.data(
        fromPropertyList: info,
        format: .binary,
        options: 0
      )
      try folder.write(list, to: "M.momd/VersionInfo.plist")
    }
    let error = try error(folder.url.appending(path: "M.momd"))
    #expect(error.code == .invalidModel)
    #expect(error.message.contains(words), "\(error.message)")
  }

  @Test(arguments: [
    ("M.omo", "known to Core Data only"), ("Empty.momd", "there is no '.mom' in it"),
    ("Folder.mom", "it is not an ordinary file"), ("None.mom", "there is no such file"),
  ])
  func `what is no compiled model is an error that says why`(_ path: String, _ words: String) throws
  {
    let folder = Folder()
    try folder.write(Data(), to: "Empty.momd/other")
    try folder.write(Data(), to: "Folder.mom/other")
    let error = try error(folder.url.appending(path: path))
    #expect(error.code == .invalidModel)
    #expect(error.message.contains(words), "\(error.message)")
  }

  @Test func `a compiled model is read by a link, too`() throws {
    let folder = Folder()
    var archive = ArchiveText()
    let name = archive.attribute("name", 700)
    try folder.write(archive.model(of: [("name", name)]), to: "real/Thing.mom")
    try folder.write(Data(), to: "M.momd/other")
    try FileManager.default.createSymbolicLink(
      at: folder.url.appending(path: "M.momd/M.mom"),
      withDestinationURL: folder.url.appending(path: "real/Thing.mom")
    )
    for path in ["M.momd", "M.momd/M.mom"] {
      let model = try ManagedObjectModel(contentsOf: folder.url.appending(path: path))
      #expect(model.entities.map(\.name) == ["Thing"])
    }
  }

  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      ("P.mom", "it is not an ordinary file"),
      ("P.xcdatamodel/contents", "it is not an ordinary file"),
      ("P.xcdatamodeld/.xccurrentversion", "no '.xccurrentversion' that says which is in use"),
      ("P.momd/VersionInfo.plist", "its 'VersionInfo.plist' does not say which is in use"),
    ]
  )
  func `a pipe in the place of a file is not waited for`(_ path: String, _ words: String) throws {
    let folder = Folder()
    for name in ["A", "B"] {
      try folder.write(modelFile(""), to: "P.xcdatamodeld/\(name).xcdatamodel/contents")
      try folder.write(Data("bplist00".utf8), to: "P.momd/\(name).mom")
    }
    try folder.write(Data(), to: "P.xcdatamodel/other")
    let pipe = folder.url.appending(path: path)
    try #require(mkfifo(pipe.path, 0o600) == 0)
    let isModel = path == "P.mom" || pipe.lastPathComponent == "contents"
    let error = try error(isModel ? pipe : pipe.deletingLastPathComponent())
    #expect(error.message.contains(words), "\(error.message)")
  }

  @Test func `a set in a list that says which version is in use is damage`() throws {
    let folder = Folder()
    for name in ["A", "B"] { try folder.write(Data("bplist00".utf8), to: "M.momd/\(name).mom") }
    let key = "NSManagedObjectModel_CurrentVersionName"
    let objects: [[UInt8]] = [
      [0xD1, 1, 2], [0x5F, 0x10, UInt8(key.utf8.count)] + Array(key.utf8), [0xC1, 1],
    ]
    var list = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets.append(UInt8(list.count))
      list += object
    }
    let table = UInt8(list.count)
    list += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
    for number in [UInt8(objects.count), 0, table] { list += [0, 0, 0, 0, 0, 0, 0, number] }
    try folder.write(Data(list), to: "M.momd/VersionInfo.plist")
    let error = try error(folder.url.appending(path: "M.momd"))
    #expect(error.message.contains("its 'VersionInfo.plist' does not say"), "\(error.message)")
  }

  @Test(arguments: ["None.xcdatamodeld", "None.xcdatamodel", "None", ""])
  func `what is not there is an error that names it`(_ path: String) throws {
    let folder = Folder()
    try folder.write(Data(), to: "empty")
    let error = try error(folder.url.appending(path: path))
    #expect(error.code == .invalidModel)
    #expect(error.message.contains("cannot be read"))
  }
}
