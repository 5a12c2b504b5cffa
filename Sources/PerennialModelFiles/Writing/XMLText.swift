// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Writes XML as Xcode does: an element a line, four spaces deeper than the one around it.
struct XMLText {
  private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
  private var depth = 0

  /// Writes an element.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - attributes: Its attributes; those without a value are left out.
  ///   - content: Writes what is inside it.
  mutating func element(
    _ name: String,
    _ attributes: [(key: String, value: String?)],
    _ content: (inout XMLText) -> Void = { _ in }
  ) {
    let indent = String(repeating: "    ", count: depth)
    text += "\(indent)<\(name)"
    for (key, value) in attributes {
      if let value { text += " \(key)=\"\(Self.escaped(value))\"" }
    }
    let start = text.endIndex
    text += ">\n"
    let inside = text.endIndex
    depth += 1
    content(&self)
    depth -= 1
    if text.endIndex == inside {
      text.replaceSubrange(start..., with: "/>\n")
    } else {
      text += "\(indent)</\(name)>\n"
    }
  }

  private static func escaped(_ value: String) -> String {
    var escaped = ""
    for character in value.unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\t", "\n", "\r": escaped += "&#\(character.value);"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
