// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A file of generated Swift source.
public struct SwiftFile: Sendable, Hashable {
  /// Who looks after a file.
  public enum Part: Sendable, Hashable {
    /// The generator: the file is written anew when the model changes.
    case machine
    /// The author of the program: the file is written once, as a beginning.
    case human
  }

  /// The file's name, such as `Commit.swift`.
  public var name: String
  /// Who looks after the file.
  public var part: Part
  /// The access level of what is in it.
  var access = SwiftOptions.Access.internal
  /// What is in it, without the lines at the top.
  var body: String

  /// The file's text.
  public var text: String {
    let top =
      part == .machine
      ? "// Generated from a model file by Perennial. Changes here are lost: change the model.\n\n"
      : ""
    let level = access == .internal ? "" : access.rawValue + " "
    return top + level + "import Perennial\n\n" + body
  }
}

/// The Swift source of a model, and what its reader should know about it.
public struct SwiftSource: Sendable, Hashable {
  /// The files: one for each class, one for each composite type, and one for the model.
  public var files: [SwiftFile]
  /// What is left out, such as a fetch request whose condition cannot be read, by line.
  public var warnings: [ModelDiagnostic]
  /// What differs from what the model's author may expect, such as a class with another name, by line.
  public var notes: [ModelDiagnostic]

  /// The text of all files that the generator looks after.
  public var text: String {
    let machine = files.filter { $0.part == .machine }
    guard let first = machine.first else { return "" }
    return ([first.text] + machine.dropFirst().map(\.body)).joined(separator: "\n")
  }
}
