// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads an XML file into a tree, within limits that no model comes near.
///
/// Files with a document type are refused: a model has none, and it is what entities are declared in
/// that grow beyond measure or name other files. So are files that are not in UTF-8, as a document type
/// would not be found in them, and Foundation's parser traps on bytes that are no text. It traps on a processing
/// instruction without data, too, so that files with any are refused.
final class XMLTreeReader: NSObject, XMLParserDelegate {
  static let byteLimit = 256 << 20
  static let depthLimit = 64
  static let elementLimit = 4_000_000
  private static let declarationLimit = 1_000

  private var open: [XMLElement] = []
  private var root: XMLElement?
  private var count = 0
  private var complaint: String?

  /// The outermost element of a file.
  ///
  /// - Parameters:
  ///   - data: The file's bytes.
  ///   - name: Its name, for errors.
  /// - Returns: The element, with everything inside it.
  /// - Throws: `invalidModel`, naming file and line.
  static func read(_ data: Data, named name: String) throws(PerennialError) -> XMLElement {
    guard data.count <= byteLimit else {
      throw .unreadableModel(name, "it has more than \(byteLimit >> 20) MiB")
    }
    // UTF-16 and UTF-32 have zeros, also where they are valid UTF-8.
    guard !data.contains(0), String(validating: data, as: UTF8.self) != nil else {
      throw .unreadableModel(name, "it is not in UTF-8")
    }
    guard data.range(of: Data("<!DOCTYPE".utf8)) == nil else {
      throw .unreadableModel(name, "it has a document type, which no model has")
    }
    // A mark of the order of bytes may stand before it.
    let text = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
    let hasDeclaration = text.starts(with: Data("<?xml".utf8))
    guard text.dropFirst(hasDeclaration ? 1 : 0).range(of: Data("<?".utf8)) == nil else {
      throw .unreadableModel(name, "it has a processing instruction, which no model has")
    }
    if hasDeclaration, let complaint = complaint(ofDeclarationIn: text) {
      throw .unreadableModel(name, complaint)
    }
    let reader = XMLTreeReader()
    let parser = XMLParser(data: data)
    parser.delegate = reader
    parser.shouldResolveExternalEntities = false
    let isComplete = parser.parse()
    if let complaint = reader.complaint { throw .unreadableModel(name, complaint) }
    guard isComplete, let root = reader.root else {
      throw .unreadableModel(name, "line \(max(1, parser.lineNumber)) is no well-formed XML")
    }
    return root
  }

  /// What keeps a file that begins with a declaration from being XML in UTF-8; `nil` when nothing does.
  private static func complaint(ofDeclarationIn text: Data) -> String? {
    let beginning = String(decoding: text.prefix(declarationLimit), as: UTF8.self)
    guard let end = beginning.firstRange(of: "?>")?.lowerBound else {
      return "its XML declaration does not end within \(declarationLimit) bytes"
    }
    let pattern = /<\?xml\s.*encoding\s*=\s*["']([^"']*)["']/.dotMatchesNewlines()
    guard let match = beginning[..<end].prefixMatch(of: pattern) else { return nil }
    let encoding = String(match.1)
    return ["utf-8", "utf8", "us-ascii"].contains(encoding.lowercased())
      ? nil : "it is in '\(encoding)', not in UTF-8"
  }

  func parser(
    _ parser: XMLParser,
    didStartElement name: String,
    namespaceURI: String?,
    qualifiedName: String?,
    attributes: [String: String]
  ) {
    count += 1
    if open.count == Self.depthLimit {
      return stop(parser, "line \(parser.lineNumber) is over \(Self.depthLimit) elements deep")
    }
    if count > Self.elementLimit {
      return stop(parser, "it has over \(Self.elementLimit) elements")
    }
    open.append(XMLElement(name: name, attributes: attributes, line: parser.lineNumber))
  }

  func parser(
    _ parser: XMLParser,
    didEndElement name: String,
    namespaceURI: String?,
    qualifiedName: String?
  ) {
    guard let element = open.popLast() else { return }
    if open.isEmpty {
      root = element
    } else {
      open[open.count - 1].children.append(element)
    }
  }

  private func stop(_ parser: XMLParser, _ complaint: String) {
    self.complaint = complaint
    parser.abortParsing()
  }
}
