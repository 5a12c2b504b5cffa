// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel

/// A model in all its versions: an `.xcdatamodeld` folder, a compiled `.momd`, or a single version.
///
/// ```swift
/// let file = try ModelFile(contentsOf: URL(filePath: "Library.xcdatamodeld"))
/// print(file.versionNames, try file.currentVersionName)
/// let first = try file.version(named: "Library")
/// ```
public struct ModelFile: Sendable {
  /// The names of the versions, sorted, without `.xcdatamodel` or `.mom`.
  public let versionNames: [String]
  private let contents: [String: URL]
  private let url: URL

  /// Finds the versions of a model.
  ///
  /// - Parameter url: An `.xcdatamodeld`, an `.xcdatamodel` or the `contents` in it; or what Xcode makes
  ///   of them: a `.momd` or a `.mom`.
  /// - Throws: `invalidModel` (134020) when an `.xcdatamodeld` or `.momd` is missing or has no version, and
  ///   for an `.omo`.
  public init(contentsOf url: URL) throws(PerennialError) {
    var url = url
    if url.lastPathComponent == "contents" { url.deleteLastPathComponent() }
    let name = url.lastPathComponent
    switch url.pathExtension {
    case "xcdatamodeld": contents = try Self.versions(in: url, ".xcdatamodel")
    case "momd": contents = try Self.versions(in: url, ".mom")
    case "omo":
      throw .unreadableModel(
        name,
        "its form is known to Core Data only",
        "give the '.mom' beside it, or the '.xcdatamodeld' that it was made of"
      )
    default: contents = [url.deletingPathExtension().lastPathComponent: url]
    }
    versionNames = contents.keys.sorted()
    self.url = url
  }

  /// The name of the version that is in use.
  ///
  /// - Throws: `invalidModel` (134020) when the model does not say which of several versions it is, or names
  ///   one that is not there.
  public var currentVersionName: String {
    get throws(PerennialError) { try Self.current(of: versionNames, in: url) }
  }

  /// Reads a version.
  ///
  /// - Parameter name: One of ``versionNames``.
  /// - Returns: The version.
  /// - Throws: `invalidModel` (134020), which says what is wrong, and in which line.
  public func version(named name: String) throws(PerennialError) -> ModelDocument {
    guard let folder = contents[name] else {
      throw .unreadableModel(
        name,
        "there is no such version",
        PerennialError.suggestion(for: name, among: versionNames)
      )
    }
    if folder.pathExtension == "mom" { return try CompiledFile(folder).document(named: name) }
    let data: Data
    do throws(OrdinaryFile.Problem) {
      data = try OrdinaryFile.contents(of: Self.file(in: folder))
    } catch {
      throw .unreadableModel(
        folder.lastPathComponent,
        Self.isOld(folder) ? "it is of a form older than Xcode 4" : error.reason,
        Self.isOld(folder) ? "open it in Xcode and save it again" : error.recovery
      )
    }
    return try ModelDocument(data, named: name)
  }

  /// The file that a version is read from.
  ///
  /// - Parameter name: One of ``versionNames``.
  /// - Returns: `contents` in an `.xcdatamodel`, or the `.mom` itself; `nil` when there is no such version.
  public func url(ofVersion name: String) -> URL? { contents[name].map(Self.file) }

  /// Reads the version that is in use.
  ///
  /// - Returns: The only version, or the one that the model says is current.
  /// - Throws: As ``currentVersionName`` and ``version(named:)``.
  public func current() throws(PerennialError) -> ModelDocument {
    try version(named: currentVersionName)
  }

  // MARK: Finding

  private static func versions(
    in folder: URL,
    _ suffix: String
  ) throws(PerennialError) -> [String: URL] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    } catch {
      throw .unreadableModel(folder.lastPathComponent, "there is no such folder", "check the path")
    }
    var versions: [String: URL] = [:]
    for name in names where name.hasSuffix(suffix) {
      versions[String(name.dropLast(suffix.utf8.count))] = folder.appending(path: name)
    }
    guard !versions.isEmpty else {
      throw .unreadableModel(folder.lastPathComponent, "there is no '\(suffix)' in it")
    }
    return versions
  }

  private struct CurrentVersion: Decodable {
    var _XCCurrentVersionName: String
  }

  private static func current(of names: [String], in url: URL) throws(PerennialError) -> String {
    if names.count == 1 { return names[0] }
    if url.pathExtension == "momd" { return try CompiledFile.current(of: names, in: url) }
    let file = url.appending(path: ".xccurrentversion")
    func unreadable(_ reason: String) -> PerennialError {
      .unreadableModel(
        url.lastPathComponent,
        "it has \(names.count) versions, and \(reason)",
        "give one of its '.xcdatamodel' folders"
      )
    }
    guard let data = try? OrdinaryFile.contents(of: file) else {
      throw unreadable("no '.xccurrentversion' that says which is in use")
    }
    guard let current = OrdinaryFile.decode(CurrentVersion.self, from: data) else {
      throw unreadable("its '.xccurrentversion', which says which is in use, is damaged")
    }
    let suffix = ".xcdatamodel"
    var name = current._XCCurrentVersionName
    if name.hasSuffix(suffix) { name.removeLast(suffix.count) }
    guard names.contains(name) else {
      throw .unreadableModel(
        url.lastPathComponent,
        "its current version '\(name)' is not there",
        PerennialError.suggestion(for: name, among: names)
      )
    }
    return name
  }

  private static func file(in folder: URL) -> URL {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder)
    return exists && !isFolder.boolValue ? folder : folder.appending(path: "contents")
  }

  private static func isOld(_ folder: URL) -> Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: "elements").path)
  }
}
