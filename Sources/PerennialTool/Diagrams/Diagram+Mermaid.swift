// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension Diagram {
  /// The diagram for Mermaid: a class diagram, which knows inheritance.
  ///
  /// Nothing is escaped: names in a model have letters, digits and `_` only.
  var mermaid: String {
    var text = ["classDiagram"]
    let ids = mermaidIDs
    for (id, box) in zip(ids, boxes) {
      let label = id == box.name ? "" : "[\"\(box.name)\"]"
      text.append("  class \(id)\(label) {")
      if box.isAbstract { text.append("    <<abstract>>") }
      text += box.lines.map { "    \($0)" }
      text.append("  }")
    }
    for line in lines {
      let (from, to) = (ids[line.from], ids[line.to])
      switch line.kind {
      case .inheritance: text.append("  \(to) <|-- \(from)")
      case .relationship(let first, let second):
        let arrow = second.name == nil ? "-->" : "--"
        let label = [first.name, second.name].compactMap(\.self).joined(separator: " / ")
        text.append(
          "  \(from) \"\(second.count)\" \(arrow) \"\(first.count)\" \(to) : \(label)"
        )
      }
    }
    return text.joined(separator: "\n") + "\n"
  }

  /// The entities' names where Mermaid takes them as such, else words that stand for them, which no entity has.
  private var mermaidIDs: [String] {
    let names = Set(boxes.map(\.name))
    return boxes.enumerated().map { index, box in
      if Self.isMermaidName(box.name) { return box.name }
      var id = "entity\(index + 1)"
      while names.contains(id) { id += "_" }
      return id
    }
  }

  private static func isMermaidName(_ name: String) -> Bool {
    let isPlain = name.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
    }
    guard isPlain, let first = name.first else { return false }
    return !first.isNumber && !reservedWords.contains(name.lowercased())
  }

  private static let reservedWords: Set = [
    "class", "classdiagram", "namespace", "note", "direction", "link", "click", "callback", "style",
    "classdef", "cssclass", "end", "default",
  ]
}
