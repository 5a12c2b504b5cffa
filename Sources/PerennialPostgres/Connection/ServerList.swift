// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
/// The servers that a connection may lead to, as libpq has understood them: the environment and service files name
/// some, too.
struct ServerList {
  /// Which server libpq tries.
  struct Place: Equatable {
    let host: String?
    let port: String

    init(host: String?, port: String?) {
      self.host = host
      // libpq's own port, when nobody names one.
      self.port = port.flatMap { $0.isEmpty ? nil : $0 } ?? "5432"
    }
  }

  private struct Server {
    let host: String
    let address: String
    let place: Place
  }

  private var servers: [Server]
  /// Whether libpq tries them in their order, not at random.
  private let isInOrder: Bool
  /// Whether libpq tries all of them once more when none was as wanted.
  private var isPassedTwice: Bool

  init(_ handle: LibpqHandle) {
    let settings = handle.settings([
      "host", "hostaddr", "port", "target_session_attrs", "load_balance_hosts",
    ])
    func list(_ name: String) -> [String] {
      guard let text = settings[name] else { return [] }
      return text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    // libpq has seen to it that a list has one value for each server, or one for all of them.
    let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
    servers = (0..<max(hosts.count, addresses.count)).map { number in
      let host = number < hosts.count ? hosts[number] : ""
      let address = number < addresses.count ? addresses[number] : ""
      let port: String? = number < ports.count ? ports[number] : ports.last
      return Server(
        host: host,
        address: address,
        place: Place(host: host.isEmpty ? address : host, port: port)
      )
    }
    isInOrder = settings["load_balance_hosts"] != "random"
    isPassedTwice = servers.count > 1 && settings["target_session_attrs"] == "prefer-standby"
  }

  var isEmpty: Bool { servers.isEmpty }

  /// What libpq is told, so that it tries these servers.
  var keywords: [(name: String, value: String)] {
    let lists: [(name: String, values: [String])] = [
      ("host", servers.map(\.host)), ("hostaddr", servers.map(\.address)),
      ("port", servers.map(\.place.port)),
    ]
    return lists.filter { list in list.values.contains { !$0.isEmpty } }
      .map { (name: $0.name, value: $0.values.joined(separator: ",")) }
  }

  /// Takes a server away that has not answered; when it is none of these, all of them.
  mutating func drop(_ place: Place) {
    if let index = servers.firstIndex(where: { $0.place == place }) {
      servers.remove(at: index)
    } else {
      servers = []
    }
    if servers.count < 2 { isPassedTwice = false }
  }

  /// Takes a server away that is tried now, with those that libpq has passed over before.
  ///
  /// - Parameters:
  ///   - place: Which one.
  ///   - deadline: When the time of all of them is over.
  /// - Returns: When its part is over: what is left is divided by the servers that are.
  mutating func begin(
    _ place: Place,
    until deadline: ContinuousClock.Instant
  ) -> ContinuousClock.Instant {
    guard let index = servers.firstIndex(where: { $0.place == place }) else { return deadline }
    servers.removeSubrange((isInOrder ? 0 : index)...index)
    let now = ContinuousClock.now
    return now + (deadline - now) / (servers.count + (isPassedTwice ? 2 : 1))
  }
}
#endif
