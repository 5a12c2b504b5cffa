// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
package import PerennialModel
import PerennialStore

extension PostgresLocation {
  /// Reads the text of a URL.
  ///
  /// - Parameter text: As ``init(_:)`` says; several hosts are separated by commas.
  /// - Throws: 134080 with what is wrong.
  package init(parsing text: String) throws(PerennialError) {
    self.init()
    guard let scheme = ["postgres://", "postgresql://"].first(where: text.hasPrefix) else {
      throw .badURL("does not begin with 'postgres://'")
    }
    var rest = text.dropFirst(scheme.count)
    if let fragment = rest.firstIndex(of: "#") {
      throw .badURL(
        "has a '#' after \(rest.distance(from: rest.startIndex, to: fragment)) characters; write it as '%23'"
      )
    }
    if URL.hasQuestionMarkInPassword(rest) {
      throw .badURL(
        "has a '?' before an '@', where a password seems to be; write '?' as '%3F' and '@' as '%40'"
      )
    }
    if let mark = rest.firstIndex(of: "?") {
      try readParameters(rest[rest.index(after: mark)...])
      rest = rest[..<mark]
    }
    if let slash = rest.firstIndex(of: "/") {
      if rest[slash...].contains("@") {
        throw .badURL("has a '/' before an '@'; write '/' as '%2F' and '@' as '%40'")
      }
      let name = try Self.decoded(rest[rest.index(after: slash)...], "database")
      if name.contains("/") { throw .badURL("has a '/' in the database's name; write it as '%2F'") }
      if !name.isEmpty { database = name }
      rest = rest[..<slash]
    }
    if let at = rest.lastIndex(of: "@") {
      try readAccount(rest[..<at])
      rest = rest[rest.index(after: at)...]
    }
    try readHosts(rest)
    try checkParameters()
  }

  private mutating func readAccount(_ text: Substring) throws(PerennialError) {
    guard let colon = text.firstIndex(of: ":") else {
      user = try Self.decoded(text, "user")
      return
    }
    let name = try Self.decoded(text[..<colon], "user")
    if !name.isEmpty { user = name }
    let secret = try Self.decoded(text[text.index(after: colon)...], "password")
    if !secret.isEmpty { password = PostgresPassword(secret) }
  }

  private mutating func readHosts(_ text: Substring) throws(PerennialError) {
    if text.isEmpty { return }
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      hosts.append(try Self.host(part))
    }
  }

  private static func host(_ text: Substring) throws(PerennialError) -> Host {
    var name = text
    var port: Substring?
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { throw .badURL("has a '[' without a ']'") }
      name = text[text.index(after: text.startIndex)..<end]
      let tail = text[text.index(after: end)...]
      guard tail.isEmpty || tail.hasPrefix(":") else {
        throw .badURL("has something other than a port after the address in '[]'")
      }
      port = tail.isEmpty ? nil : tail.dropFirst()
    } else if let colon = text.firstIndex(of: ":") {
      name = text[..<colon]
      port = text[text.index(after: colon)...]
    }
    guard !name.isEmpty else { throw .badURL("has a port or a comma without a host") }
    return Host(name: try decoded(name, "host"), port: try port.map(number(ofPort:)))
  }

  private static func number(ofPort text: Substring) throws(PerennialError) -> Int {
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text),
      (1...65535).contains(number)
    else { throw .badURL("has a port that is no number from 1 to 65535") }
    return number
  }

  /// The text that percent signs stand for.
  private static func decoded(_ text: Substring, _ part: String) throws(PerennialError) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
      else { throw .badURL("has a '%' without two digits in the \(part); write '%' as '%25'") }
      bytes.append(high << 4 | low)
    }
    guard !bytes.contains(0) else { throw .badURL("has a NUL in the \(part)") }
    guard let result = String(validating: bytes, as: UTF8.self) else {
      throw .badURL("has bytes that are no UTF-8 in the \(part)")
    }
    return result
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension PostgresLocation {
  private mutating func readParameters(_ text: Substring) throws(PerennialError) {
    var seen: Set<String> = []
    for part in text.split(separator: "&") {
      guard let equals = part.firstIndex(of: "=") else {
        throw .badURL("has a parameter without '='")
      }
      let name = try Self.decoded(part[..<equals], "name of a parameter")
      let value = try Self.decoded(part[part.index(after: equals)...], "value of '\(name)'")
      guard seen.insert(name).inserted else { throw .badURL("has the parameter '\(name)' twice") }
      try set(name, value)
    }
  }

  private mutating func set(_ name: String, _ value: String) throws(PerennialError) {
    switch name {
    case "pool": limits.connectionCount = try Self.number(value, name, 1...1000)
    case "pool_minimum": limits.idleCount = try Self.number(value, name, 0...1000)
    case "pool_idle": limits.idleTime = try .seconds(Self.number(value, name, 0...864_000))
    case "pool_timeout": limits.poolTimeout = try .seconds(Self.number(value, name, 0...86_400))
    case "pool_age": limits.maximumAge = try .seconds(Self.number(value, name, 1...864_000))
    case "timeout": limits.statementTimeout = try .seconds(Self.number(value, name, 1...86_400))
    case "connect_timeout":
      limits.connectTimeout = try .seconds(Self.number(value, name, 1...3_600))
    case "names":
      guard let names = StoreDescription.TableNames(rawValue: value) else {
        let all = StoreDescription.TableNames.allCases.map { "'\($0.rawValue)'" }
        throw .badURL(
          "has 'names' with a value that there is not",
          recovery: "use one of " + all.joined(separator: ", ")
        )
      }
      tableNames = names
    case "user": user = value
    case "password": password = PostgresPassword(value)
    case "dbname": database = value
    case _ where ServerParameters.libpq.contains(name): parameters[name] = value
    default:
      let names = ServerParameters.libpq.union(ServerParameters.own).sorted()
      throw .badURL(
        "has the parameter '\(name)', which there is not",
        recovery: "use one of " + names.joined(separator: ", ")
      )
    }
  }

  private mutating func checkParameters() throws(PerennialError) {
    if limits.idleCount > limits.connectionCount {
      throw .badURL("has a 'pool_minimum' greater than 'pool'")
    }
    if !hosts.isEmpty, parameters["host"] != nil || parameters["port"] != nil {
      throw .badURL("has hosts before and after the '?'")
    }
    let modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
    if let mode = parameters["sslmode"], !modes.contains(mode) {
      throw .badURL(
        "has an 'sslmode' that there is not",
        recovery: "use one of " + modes.joined(separator: ", ")
      )
    }
  }

  private static func number(
    _ text: String,
    _ name: String,
    _ range: ClosedRange<Int>
  ) throws(PerennialError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw .badURL(
        "has '\(name)' with a value that is no number from \(range.lowerBound) to \(range.upperBound)"
      )
    }
    return number
  }
}

extension PerennialError {
  /// A URL that names no database.
  fileprivate static func badURL(
    _ problem: String,
    recovery: String =
      "write it as 'postgres://user:password@host:port/database?sslmode=verify-full'"
  ) -> PerennialError {
    PerennialError(
      .persistentStoreOpen,
      "The URL of the PostgreSQL store \(problem).",
      recovery: recovery
    )
  }
}
#endif
