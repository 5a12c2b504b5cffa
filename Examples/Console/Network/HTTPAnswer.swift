// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// What a web server answered.
public struct HTTPAnswer: Sendable {
  /// The status code.
  public let status: Int
  /// The body.
  public let body: Data
  private let fields: [String: String]

  /// Makes an answer.
  public init(status: Int, fields: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.body = body
    self.fields = Dictionary(
      fields.map { ($0.key.lowercased(), $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// A field of the head, nil when there is none of that name; capitals do not matter.
  public subscript(field name: String) -> String? { fields[name.lowercased()] }

  /// The addresses of the `Link` field by their relation, such as `next` (RFC 8288).
  public var links: [String: URL] {
    var links: [String: URL] = [:]
    // Commas and semicolons do not end an address, nor a text in quotes.
    for link in (self[field: "Link"] ?? "").matches(of: #/<([^>]*)>((?:[^,"]|"[^"]*")*)/#) {
      guard let url = URL(string: String(link.1)) else { continue }
      for parameter in link.2.matches(of: #/;\s*([^\s;="]+)\s*=\s*("[^"]*"|[^\s;"]*)/#)
      where parameter.1.lowercased() == "rel" {
        let names = parameter.2.split { $0 == "\"" || $0.isWhitespace }
        for name in names { links[name.lowercased()] = url }
      }
    }
    return links
  }

  /// Whether the server refuses because it was asked too often: 429, or 403 as GitHub says it.
  public var isRateLimited: Bool {
    switch status {
    case 429: true
    case 403: self[field: "X-RateLimit-Remaining"] == "0" || self[field: "Retry-After"] != nil
    default: false
    }
  }

  /// When the server may be asked again, nil when it does not say so.
  public func retryDate(now: Date = .now) -> Date? {
    if let seconds = self[field: "Retry-After"].flatMap(Int.init), seconds >= 0 {
      return now.addingTimeInterval(Double(min(seconds, Self.longestWait)))
    }
    guard let reset = self[field: "X-RateLimit-Reset"].flatMap(Int.init), reset > 0 else {
      return nil
    }
    return Date(timeIntervalSince1970: Double(reset))
  }

  /// A year: what a server asks for beyond is a mistake.
  private static let longestWait = 31_536_000
}
