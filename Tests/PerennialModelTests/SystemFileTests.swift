// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialStore
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What the system refuses is an error with its number, never a crash nor a silence.
///
/// Safe because bytes are lent only for the time of a call.
@Suite("The system's files")
final class SystemFileTests {
  private let files = SystemFiles()
  private let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  init() throws {
    try FileManager.default.createDirectory(
      at: place.appending(path: "full/inner"),
      withIntermediateDirectories: true
    )
    try Data("abc".utf8).write(to: path("file"))
  }

  deinit { try? FileManager.default.removeItem(at: place) }

  private func path(_ name: String) -> URL { place.appending(path: name) }

  private func expect(
    _ step: FileFailure.Step,
    _ codes: Int32...,
    at location: SourceLocation = #_sourceLocation,
    when body: () throws -> Void
  ) {
    let failure = #expect(throws: FileFailure.self, sourceLocation: location) { try body() }
    #expect(failure?.step == step, sourceLocation: location)
    #expect(codes.contains(failure?.code ?? 0), "\(failure?.code ?? 0)", sourceLocation: location)
    #expect(failure?.message.isEmpty == false, sourceLocation: location)
  }

  @Test func `a path through a file is refused, and no link`() throws {
    let through = path("file").path + "/inner"
    expect(.look, ENOTDIR) { _ = try files.status(of: through) }
    #expect(try !files.isLink(through))
    expect(.open, ENOTDIR) { _ = try files.open(through) }
    expect(.create, ENOTDIR) { _ = try files.create(through, permissions: nil) }
    expect(.openFolder, ENOTDIR) { _ = try files.folder(path("file").path) }
    expect(.lock, ENOTDIR) { _ = try files.lock(through, patience: .zero) }
    expect(.rename, ENOENT) { try files.rename(path("none").path, to: path("other").path) }
    // What is not there need not be removed; a folder is no file.
    try files.remove(path("none").path)
    expect(.remove, EISDIR, EPERM) { try files.remove(path("full").path) }
    let long = path(String(repeating: "a", count: 300)).path
    expect(.look, ENAMETOOLONG) { _ = try files.isLink(long) }
  }

  @Test func `a file is read and written only as it was opened`() throws {
    let file = try files.open(path("file").path)
    #expect(try file.contents().withBytes { Array($0) } == Array("abc".utf8))
    expect(.write, EBADF) { try withUnsafeBytes(of: 1) { try file.write($0) } }
    let new = try files.create(path("new").path, permissions: 0o600)
    try Array("new".utf8).withUnsafeBytes { try new.write($0) }
    try new.sync()
    #expect(try new.status().byteCount == 3)
    #expect(try new.status().permissions == 0o600)
    expect(.read, EBADF) { _ = try new.contents() }
    let folder = try files.open(path("full").path)
    #expect(try folder.status().kind == .folder)
  }

  #if os(Linux)
  @Test func `what cannot be put on the disk is an error for files, and none for folders`() throws {
    let device = try files.open("/dev/null")
    #expect(try device.status().kind == .other)
    expect(.sync, EINVAL) { try device.sync() }
    try files.syncFolder(of: "/proc/file")
  }
  #endif

  @Test func `the folder of a path without one is that of the process, or the root`() throws {
    try files.syncFolder(of: "name")
    try files.syncFolder(of: "/name")
    expect(.openFolder, ENOENT) { try files.syncFolder(of: path("none/name").path) }
  }

  @Test func `in a folder nothing is followed, nor taken for what it is not`() throws {
    let folder = try files.folder(place.path)
    #expect(try folder.names().sorted() == ["file", "full"])
    try FileManager.default.createSymbolicLink(at: path("link"), withDestinationURL: path("full"))
    #expect(mkfifo(path("pipe").path, 0o600) == 0)
    expect(.openFolder, ELOOP, ENOTDIR) { _ = try folder.folder("link") }
    #expect(try folder.folder("none") == nil)
    expect(.open, ELOOP) { _ = try folder.open("link") }
    expect(.open, ELOOP) { _ = try folder.open("pipe") }
    expect(.open, ELOOP) { _ = try folder.open("full") }
    expect(.rename, ENOENT) { try folder.rename("none", to: "other") }
    expect(.remove, EISDIR, EPERM) { try folder.remove("full") }
    try folder.remove("none")
    expect(.remove, ENOTEMPTY, EEXIST) { try folder.removeFolder("full") }
    try folder.removeFolder("none")
    try folder.makeFolder("full", permissions: nil)
    expect(.makeFolder, ENOENT) { try folder.makeFolder("none/inner", permissions: nil) }
    try folder.sync()
  }
}
