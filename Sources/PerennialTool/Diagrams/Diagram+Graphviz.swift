// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import PerennialModel

extension Diagram {
  /// The diagram in Graphviz's language DOT.
  var dot: String {
    var text = [
      "digraph \(Self.quoted(name.escapedForTerminal)) {",
      "  graph [rankdir=LR, nodesep=0.6, ranksep=1]",
      "  node [shape=plain, fontname=\"Helvetica\"]",
      "  edge [fontname=\"Helvetica\", fontsize=10]",
    ]
    for (index, box) in boxes.enumerated() {
      text.append("  e\(index) [label=<\(Self.label(box))>]")
    }
    for line in lines {
      switch line.kind {
      case .inheritance:
        text.append("  e\(line.from) -> e\(line.to) [arrowhead=empty]")
      case .relationship(let first, let second):
        let back = second.name.map { "\($0) \(second.count)" } ?? ""
        text.append(
          "  e\(line.from) -> e\(line.to) [dir=both, arrowhead=\(Self.arrow(first)), "
            + "arrowtail=\(second.name == nil ? "none" : Self.arrow(second)), "
            + "headlabel=\(Self.quoted("\(first.name ?? "") \(first.count)")), "
            + "taillabel=\(Self.quoted(back))]"
        )
      }
    }
    text.append("}")
    return text.joined(separator: "\n") + "\n"
  }

  private static func arrow(_ end: End) -> String {
    end.isToMany ? "crow" : end.isOptional ? "teeodot" : "tee"
  }

  private static func label(_ box: Box) -> String {
    let name = box.name.escapedForXML
    let title = box.isAbstract ? "<i>\(name)</i>" : name
    let rows = box.lines.map { "<tr><td align=\"left\">\($0.escapedForXML)</td></tr>" }
    return "<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\">"
      + "<tr><td bgcolor=\"lightgrey\"><b>\(title)</b></td></tr>\(rows.joined())</table>"
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.escaping("\\", "\"", with: "\\").replacing("\n", with: " ") + "\""
  }
}

extension String {
  /// The text for XML and HTML; control characters, which XML does not have, are left out.
  var escapedForXML: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case _ where scalar.properties.generalCategory == .control: continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
