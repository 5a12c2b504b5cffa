// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Takes the attributes of one element, one by one, so that those which nobody takes can be told; its name
/// is taken already.
struct ElementReader {
  let element: XMLElement
  /// What is being read, for errors: `attribute 'sha' of 'Commit'`.
  let subject: String
  private var rest: [String: String]
  private(set) var notes: [ModelDiagnostic] = []

  init(_ element: XMLElement, as subject: String) {
    self.element = element
    self.subject = subject
    rest = element.attributes
    rest["name"] = nil
  }

  /// The text of an attribute.
  mutating func text(_ key: String) -> String? { rest.removeValue(forKey: key) }

  /// The text of an attribute, when it is not empty.
  mutating func name(_ key: String) -> String? {
    text(key).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether an attribute says yes; it says no when it is absent.
  mutating func flag(_ key: String) -> Bool {
    guard let text = text(key) else { return false }
    switch text {
    case "YES", "true": return true
    case "NO", "false": return false
    default:
      note("'\(key)' is neither YES nor NO; it counts as NO")
      return false
    }
  }

  /// A number, or `nil` when the attribute is absent or no number.
  mutating func integer(_ key: String) -> Int? {
    guard let text = name(key) else { return nil }
    if let number = Int(text) { return number }
    note("'\(key)' is no whole number, and is left out")
    return nil
  }

  /// A number of objects, which Core Data counts in 32 bits.
  mutating func count(_ key: String) -> Int? {
    guard let number = integer(key) else { return nil }
    if Int32(exactly: number) != nil { return number }
    note("'\(key)' is beyond any count, and is left out")
    return nil
  }

  /// The seconds of a date, or `nil` when the attribute is absent or no number.
  mutating func seconds(_ key: String) -> Double? {
    guard let text = name(key) else { return nil }
    if let number = Double(text), number.isFinite { return number }
    note("'\(key)' is no number, and is left out")
    return nil
  }

  /// The name in the earlier version of the model; Xcode calls it the element's ID.
  mutating func renamingIdentifier() -> String? {
    let identifier = name("elementID")
    return name("renamingIdentifier") ?? identifier
  }

  /// Attributes that mean nothing here.
  mutating func ignore(_ keys: String...) {
    for key in keys { rest[key] = nil }
  }

  /// Says what a reader of the file should know.
  mutating func note(_ message: String) {
    notes.append(ModelDiagnostic(line: element.line, "\(subject): \(message)"))
  }

  /// Says which attributes nobody has taken, and which elements inside are none of some.
  mutating func finish(knowing children: Set<String> = []) -> [ModelDiagnostic] {
    for key in rest.keys.sorted() { note("the attribute '\(key)' is unknown, and is left out") }
    for child in element.children where !children.contains(child.name) {
      note("the element '\(child.name)' is unknown, and is left out")
    }
    return notes
  }

  /// The notes that the file's author wrote: `<userInfo><entry key= value=/></userInfo>`.
  func userInfo() -> [String: String] {
    var notes: [String: String] = [:]
    for entry in element.children(named: "userInfo").flatMap({ $0.children(named: "entry") }) {
      if let key = entry.attributes["key"] { notes[key] = entry.attributes["value"] ?? "" }
    }
    return notes
  }
}
