// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A command line that was understood.
public struct ParsedArguments: Sendable, Hashable {
  /// The name of the command to run.
  public internal(set) var command: String
  var values: [String: String] = [:]
  /// Every value of an option that was given, in their order.
  var allValues: [String: [String]] = [:]
  var flags: Set<String> = []
  var words: [String: String] = [:]

  /// The value of an option, nil when it was not given.
  public subscript<Value>(option: Option<Value>) -> Value? {
    values[option.name].flatMap(option.convert)
  }

  /// Every value of an option, in the order of the command line; empty when it was not given.
  public func all<Value>(_ option: Option<Value>) -> [Value] {
    (allValues[option.name] ?? []).compactMap(option.convert)
  }

  /// Whether an option of this name was given.
  public func has(_ name: String) -> Bool { values[name] != nil }

  /// Whether a flag was given.
  public subscript(flag: Flag) -> Bool {
    flags.contains(flag.name)
  }

  /// A positional argument, nil when it was not given.
  public subscript(positional: Positional) -> String? {
    words[positional.name]
  }
}
