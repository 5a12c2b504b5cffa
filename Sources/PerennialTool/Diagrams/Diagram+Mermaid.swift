// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension Diagram {
  /// The diagram for Mermaid: a class diagram, which knows inheritance.
  ///
  /// Nothing is escaped: names in a model have letters, digits and `_` only.
  var mermaid: String {
    var text = ["classDiagram"]
    for (index, box) in boxes.enumerated() {
      let id = mermaidID(index)
      let label = id == box.name ? "" : "[\"\(box.name)\"]"
      text.append("  class \(id)\(label) {")
      if box.isAbstract { text.append("    <<abstract>>") }
      text += box.lines.map { "    \($0)" }
      text.append("  }")
    }
    for line in lines {
      let (from, to) = (mermaidID(line.from), mermaidID(line.to))
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

  /// The entity's name where Mermaid takes it as one, else a word that stands for it.
  private func mermaidID(_ index: Int) -> String {
    let name = boxes[index].name
    let isPlain = name.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
    }
    let isReserved = Self.reservedWords.contains(name.lowercased())
    guard isPlain, !isReserved, let first = name.first, !first.isNumber else {
      return "entity\(index + 1)"
    }
    return name
  }

  private static let reservedWords: Set = [
    "class", "classdiagram", "namespace", "note", "direction", "link", "click", "callback", "style",
    "classdef", "cssclass", "end", "default",
  ]
}
