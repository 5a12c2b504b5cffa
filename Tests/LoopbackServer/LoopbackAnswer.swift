// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// What the server sends for a request.
public struct LoopbackAnswer: Sendable {
  /// How much of the answer arrives.
  enum Delivery {
    /// All of it.
    case whole
    /// The head and so many bytes of the body; then the connection ends.
    case cut(bodyBytes: Int)
    /// Nothing: the connection ends at once.
    case nothing
  }

  let head: Data
  let body: Data
  var delivery = Delivery.whole
  var gate: LoopbackGate?

  /// An answer with a right `Content-Length`.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - headers: Further header lines. One named `Content-Length` takes the place of the right one.
  ///   - body: The body.
  public init(_ status: Int = 200, headers: [String: String] = [:], body: Data = Data()) {
    var lines = ["HTTP/1.1 \(status) Scripted", "Connection: close"]
    lines += headers.map { "\($0.key): \($0.value)" }
    if !headers.keys.contains(where: { $0.lowercased() == "content-length" }) {
      lines.append("Content-Length: \(body.count)")
    }
    head = Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    self.body = body
  }

  /// An answer whose body is a text.
  public init(_ status: Int = 200, headers: [String: String] = [:], text: String) {
    self.init(status, headers: headers, body: Data(text.utf8))
  }

  /// Bytes that need not be HTTP.
  public init(garbage: String) {
    head = Data(garbage.utf8)
    body = Data()
  }

  /// No answer at all: the connection ends when the request was read.
  public static var hangUp: LoopbackAnswer {
    var answer = LoopbackAnswer()
    answer.delivery = .nothing
    return answer
  }

  /// The same answer, whose connection ends in the middle of the body.
  public func cut(after bodyBytes: Int) -> LoopbackAnswer {
    var answer = self
    answer.delivery = .cut(bodyBytes: bodyBytes)
    return answer
  }

  /// The same answer, sent when a test lets it go.
  public func held(by gate: LoopbackGate) -> LoopbackAnswer {
    var answer = self
    answer.gate = gate
    return answer
  }

  /// The bytes that arrive.
  var bytes: Data {
    switch delivery {
    case .whole: head + body
    case .cut(let count): head + body.prefix(count)
    case .nothing: Data()
    }
  }
}
