// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Asks web servers, and says in a user's words why one does not answer.
///
/// It keeps no cookies and no cache, and follows a redirection only to the same server, so that a
/// token in the head of a request stays where it was sent.
public struct HTTPClient: Sendable {
  private let session: URLSession

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - userAgent: What the server is told about the program; GitHub refuses requests without it.
  ///   - timeout: How long the server may be silent, in seconds.
  public init(userAgent: String, timeout: TimeInterval = 60) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["User-Agent": userAgent]
    configuration.timeoutIntervalForRequest = timeout
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    session = URLSession(
      configuration: configuration,
      delegate: SameServerRedirections(),
      delegateQueue: nil
    )
  }

  /// Gets an address.
  ///
  /// - Parameters:
  ///   - url: The address.
  ///   - fields: Further fields of the head.
  /// - Returns: The answer, whatever its status is.
  /// - Throws: ``CommandFailure`` with ``ExitCode/tryLater`` when there is no whole answer;
  ///   `CancellationError` when the task is cancelled, at once.
  public func get(_ url: URL, fields: [String: String] = [:]) async throws -> HTTPAnswer {
    var request = URLRequest(url: url)
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    do {
      let (body, response) = try await session.data(for: request)
      guard let response = response as? HTTPURLResponse else {
        throw CommandFailure.noHTTP(url.shownServer)
      }
      let answer = HTTPAnswer(response, body: body)
      guard answer.isWhole else { throw CommandFailure.cutAnswer(url.shownServer) }
      return answer
    } catch let error as URLError {
      try Task.checkCancellation()
      throw CommandFailure(error, server: url.shownServer)
    }
  }
}

/// Follows a redirection only when scheme, host and port stay the same.
///
/// Otherwise the answer that redirects is the answer.
private final class SameServerRedirections: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let isSame = request.url.map { task.originalRequest?.url?.isOnSameServer(as: $0) == true }
    completionHandler(isSame == true ? request : nil)
  }
}

extension HTTPAnswer {
  fileprivate init(_ response: HTTPURLResponse, body: Data) {
    var fields: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      if let name = name as? String, let value = value as? String { fields[name] = value }
    }
    self.init(status: response.statusCode, fields: fields, body: body)
  }

  /// Whether the body is as long as announced; a compressed body is not compared, nor is that of a redirection, which
  /// is dropped when it is not followed.
  fileprivate var isWhole: Bool {
    guard self[field: "Content-Encoding"] == nil, !(300..<400).contains(status),
      let length = self[field: "Content-Length"].flatMap(Int.init)
    else { return true }
    return body.count == length
  }
}

extension URL {
  /// Reads the address of a server, nil when it is not one for HTTP, or has a query.
  ///
  /// One server has one address, however it is spelt: scheme and host are in small letters, and the scheme's own port
  /// is left out.
  public init?(webAddress text: String) {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
      url.host?.isEmpty == false, url.query == nil, url.fragment == nil, url.user == nil
    else { return nil }
    let address = url.absoluteString
    guard let host = address.firstRange(of: "://")?.upperBound else { return nil }
    let path = address[host...].firstIndex(of: "/") ?? address.endIndex
    var server = address[..<path].lowercased()
    if let port = url.schemePort, server.hasSuffix(":\(port)") {
      server.removeLast(":\(port)".count)
    }
    self.init(string: "\(server)\(address[path...])")
  }

  /// Whether scheme, host and port are equal, the port being the scheme's own where none is named.
  public func isOnSameServer(as other: URL) -> Bool {
    scheme?.lowercased() == other.scheme?.lowercased()
      && host?.lowercased() == other.host?.lowercased()
      && port ?? schemePort == other.port ?? other.schemePort
  }

  /// The port where servers of the scheme listen, nil for a scheme that is not HTTP's.
  private var schemePort: Int? {
    switch scheme?.lowercased() ?? "" {
    case "http": 80
    case "https": 443
    default: nil
    }
  }

  /// Whether the server is this machine.
  public var isOnThisMachine: Bool { ["127.0.0.1", "::1", "localhost"].contains(host ?? "") }

  /// The host and the port for people.
  public var shownServer: String {
    let host = (host ?? "").escapedForTerminal
    return port.map { "\(host):\($0)" } ?? host
  }
}
