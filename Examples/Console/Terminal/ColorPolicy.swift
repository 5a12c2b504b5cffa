// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// When to colour the output: the values of `--color`.
public enum ColorPolicy: String, Sendable, CaseIterable {
  /// When a terminal shows the output and neither `NO_COLOR` nor `TERM=dumb` forbids it.
  case auto
  /// Always, also into files and pipes.
  case always
  /// Never.
  case never

  /// Whether to colour.
  ///
  /// - Parameters:
  ///   - isTerminal: Whether standard output is a terminal.
  ///   - environment: The environment variables. An empty `NO_COLOR` counts as unset, as
  ///     no-color.org asks.
  /// - Returns: Whether the output may hold colours.
  public func allowsColor(isTerminal: Bool, environment: [String: String]) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .auto:
      isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }
  }
}
