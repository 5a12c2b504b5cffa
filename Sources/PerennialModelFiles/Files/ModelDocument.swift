// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel

/// A model that Xcode's editor has saved, and what else its file says.
///
/// ```swift
/// let document = try ModelDocument(contentsOf: URL(filePath: "Library.xcdatamodeld"))
/// for diagnostic in document.diagnostics { print(diagnostic) }
/// let container = try PersistentContainer(name: "Library", model: document.model)
/// ```
public struct ModelDocument: Sendable {
  /// The version's name: the file's, without `.xcdatamodel`.
  public let name: String
  /// The model that the file describes.
  public let model: ManagedObjectModel
  /// What the model's author calls this version.
  ///
  /// Core Data: `NSManagedObjectModel.versionIdentifiers`.
  public let versionIdentifiers: [String]
  /// The classes of the entities, by the entities' names.
  public let classes: [String: ModelClass]
  /// The names of the composite types by their elements.
  let compositeNames: [[AttributeDescription]: String]
  /// The lines of entities (`Commit`), properties (`Commit.sha`) and fetch requests (`$recent`).
  let places: [String: Int]
  /// What the file has that Perennial does not know, does not do, or advises against, in the order of lines.
  public let diagnostics: [ModelDiagnostic]

  /// Reads the current version of a model.
  ///
  /// - Parameter url: An `.xcdatamodeld`, an `.xcdatamodel` or the `contents` in it; a `.momd` or a `.mom`.
  /// - Throws: `invalidModel` (134020), which says what is wrong, and in which line.
  public init(contentsOf url: URL) throws(PerennialError) {
    self = try ModelFile(contentsOf: url).current()
  }

  /// Reads the XML of a model.
  ///
  /// - Parameters:
  ///   - data: The content of a `contents` file.
  ///   - name: The version's name.
  /// - Throws: `invalidModel` (134020), which says what is wrong, and in which line.
  public init(_ data: Data, named name: String = "model") throws(PerennialError) {
    self = try ModelReader(name: name).document(data)
  }

  init(
    name: String,
    model: ManagedObjectModel,
    versionIdentifiers: [String],
    classes: [String: ModelClass],
    compositeNames: [[AttributeDescription]: String] = [:],
    places: [String: Int] = [:],
    diagnostics: [ModelDiagnostic]
  ) {
    self.name = name
    self.model = model
    self.versionIdentifiers = versionIdentifiers
    self.classes = classes
    self.compositeNames = compositeNames
    self.places = places
    self.diagnostics = diagnostics
  }
}

extension ManagedObjectModel {
  /// Reads the current version of a model that Xcode's editor has saved.
  ///
  /// Core Data: `NSManagedObjectModel.init(contentsOf:)`, which reads compiled models only.
  ///
  /// - Parameter url: An `.xcdatamodeld`, an `.xcdatamodel` or the `contents` in it; a `.momd` or a `.mom`.
  /// - Throws: `invalidModel` (134020), which says what is wrong, and in which line.
  public init(contentsOf url: URL) throws(PerennialError) {
    self = try ModelDocument(contentsOf: url).model
  }
}

extension ModelDocument {
  /// A document of a model that was made in code, to be written as a file.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - name: The version's name, without `.xcdatamodel`.
  ///   - versionIdentifiers: What the model's author calls this version.
  public init(_ model: ManagedObjectModel, named name: String, versionIdentifiers: [String] = []) {
    self.init(
      name: name,
      model: model,
      versionIdentifiers: versionIdentifiers,
      classes: [:],
      diagnostics: []
    )
  }

  /// The model as Xcode's editor saves it: the content of a `contents` file.
  ///
  /// Three things have no place in the format and are left out: conditions of validation, defaults of Binary
  /// attributes, and a name that a fetched property's request has of its own. Of several ``versionIdentifiers``
  /// only the first is written, because there is room for one.
  ///
  /// - Throws: `invalidModel` (134020) when a text of the model has a character that XML cannot hold, such as
  ///   U+0000; the error says where.
  public var contents: Data {
    get throws(PerennialError) { try ModelWriter(document: self).contents() }
  }
}
