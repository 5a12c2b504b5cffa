// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Every text about a server that does not answer as it should.
extension CommandFailure {
  /// The failure of a connection.
  init(_ error: URLError, server: String) {
    switch error.code {
    case .cannotFindHost, .dnsLookupFailed:
      self = .network("the server '\(server)' was not found", "Check its name and the network.")
    case .cannotConnectToHost, .notConnectedToInternet:
      self = .network(
        "there is no connection to '\(server)'",
        "Check the network and the address, and try again."
      )
    case .timedOut:
      self = .network("'\(server)' does not answer", "Check the network, and try again.")
    // Foundation on Linux has no code of its own for an answer that is shorter than announced.
    case .networkConnectionLost, .unknown:
      self = .cutAnswer(server)
    case .badServerResponse, .cannotParseResponse, .unsupportedURL:
      self = .noHTTP(server)
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot:
      self = CommandFailure(
        "the connection to '\(server)' is not secure",
        advice: "Check the address, the machine's clock and its certificates."
      )
    default:
      self = .network(
        "'\(server)' cannot be asked (error \(error.code.rawValue))",
        "Check the network and the address, and try again."
      )
    }
  }

  static func cutAnswer(_ server: String) -> Self {
    network("the answer of '\(server)' ended too early", "Check the network, and try again.")
  }

  static func noHTTP(_ server: String) -> Self {
    network(
      "the answer of '\(server)' is empty or not HTTP",
      "Check the address; something else may listen there."
    )
  }

  /// A refusal because the server was asked too often.
  ///
  /// - Parameters:
  ///   - server: The server's name.
  ///   - date: When it may be asked again, nil when that is not known.
  ///   - zone: The time zone of the date.
  ///   - advice: A further sentence.
  /// - Returns: The failure, with the status ``ExitCode/tryLater``.
  public static func rateLimit(
    _ server: String,
    until date: Date?,
    zone: TimeZone,
    advice: String = ""
  ) -> Self {
    let time = date.map { "after \($0.dayAndMinute(in: zone))" } ?? "later"
    return network(
      "'\(server)' was asked too often",
      "Try again \(time).\(advice.isEmpty ? "" : " ")\(advice)"
    )
  }

  private static func network(_ message: String, _ advice: String) -> Self {
    CommandFailure(message, advice: advice, status: .tryLater)
  }
}
