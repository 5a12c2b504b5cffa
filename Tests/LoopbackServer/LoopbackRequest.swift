// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// A request as the server has read it.
public struct LoopbackRequest: Sendable, Hashable {
  /// The method, such as `GET`.
  public let method: String
  /// The path and the query as they came, with their escapes.
  public let target: String
  /// The header fields; names in lower case.
  public let headers: [String: String]

  /// The path, without escapes.
  public var path: String { components?.path ?? target }

  /// A value of the query, without escapes: `%2B` and `+` differ, the first is a plus sign.
  public subscript(query name: String) -> String? {
    components?.percentEncodedQueryItems?.first { $0.name == name }?.value
      .flatMap { $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding }
  }

  private var components: URLComponents? { URLComponents(string: target) }

  /// Reads a head, nil when it is none.
  init?(head: Data) {
    var lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")[...]
    let words = lines.popFirst()?.split(separator: " ") ?? []
    guard words.count == 3 else { return nil }
    method = String(words[0])
    target = String(words[1])
    var headers: [String: String] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      headers[line[..<colon].lowercased()] = value
    }
    self.headers = headers
  }
}
