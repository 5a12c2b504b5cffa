// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The texts of an SVG picture.
final class SVGTexts: NSObject, XMLParserDelegate {
  private(set) var texts: [String] = []
  private var isInText = false

  init(_ picture: Data) throws {
    super.init()
    let parser = XMLParser(data: picture)
    parser.delegate = self
    guard parser.parse() else { throw CocoaError(.propertyListReadCorrupt) }
  }

  func parser(
    _ parser: XMLParser,
    didStartElement elementName: String,
    namespaceURI: String?,
    qualifiedName qName: String?,
    attributes attributeDict: [String: String] = [:]
  ) {
    isInText = elementName == "text"
    if isInText { texts.append("") }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    guard isInText else { return }
    texts[texts.count - 1] += string
  }

  func parser(
    _ parser: XMLParser,
    didEndElement elementName: String,
    namespaceURI: String?,
    qualifiedName qName: String?
  ) {
    isInText = false
  }
}
