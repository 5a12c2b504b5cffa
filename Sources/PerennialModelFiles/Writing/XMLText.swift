// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Writes XML as Xcode does: an element a line, four spaces deeper than the one around it.
struct XMLText {
  private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
  private var depth = 0
  /// The first character that no XML file can hold, and where it stands; nil when there is none.
  private(set) var unwritable: (character: Unicode.Scalar, place: String)?

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
      guard let value else { continue }
      text += " \(key)=\"\(Self.escaped(value))\""
      if unwritable == nil, let character = value.unicodeScalars.first(where: \.isNotXML) {
        unwritable = (character, Self.place(of: key, in: name, attributes))
      }
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

  /// `'defaultValueString' of the attribute 'note'`; a name that is the trouble itself is left out.
  private static func place(
    of key: String,
    in element: String,
    _ attributes: [(key: String, value: String?)]
  ) -> String {
    let name = attributes.first { $0.key == "name" }?.value ?? ""
    let isTold = !name.isEmpty && !name.unicodeScalars.contains(where: \.isNotXML)
    return "'\(key)' of the \(element)\(isTold ? " '\(name)'" : "")"
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

extension Unicode.Scalar {
  /// Whether XML 1.0 has no way to write the character, not even by its number.
  fileprivate var isNotXML: Bool {
    switch value {
    case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...: false
    default: true
    }
  }
}
