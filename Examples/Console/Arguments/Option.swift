// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// An option with a value: `--name value` or `--name=value`.
///
/// The closure turns the text into a value, so a wrong text is reported while the command line is
/// read:
///
/// ```swift
/// static let limit = Option("limit", placeholder: "N", help: "show at most N commits",
///   expects: "a whole number") { Int($0) }
/// ```
public struct Option<Value: Sendable>: Sendable {
  /// The name without the dashes.
  public let name: String
  /// What the value is called in the help text, such as `PATH`.
  public let placeholder: String
  /// What the option does: a phrase that begins with a verb.
  public let help: String
  /// What a valid value looks like, as it stands after "needs", such as `a whole number`.
  public let expects: String
  /// What a shell offers for the value.
  public let completion: Completion
  let convert: @Sendable (String) -> Value?

  /// Makes an option whose text `convert` turns into a value, or into nil when it is not valid.
  public init(
    _ name: String,
    placeholder: String,
    help: String,
    expects: String,
    completion: Completion = .none,
    convert: @escaping @Sendable (String) -> Value?
  ) {
    self.name = name
    self.placeholder = placeholder
    self.help = help
    self.expects = expects
    self.completion = completion
    self.convert = convert
  }
}

extension Option where Value == String {
  /// Makes an option that takes any text but the empty one.
  public init(
    _ name: String,
    placeholder: String,
    help: String,
    completion: Completion = .none
  ) {
    self.init(
      name,
      placeholder: placeholder,
      help: help,
      expects: "a value that is not empty",
      completion: completion,
      convert: { $0.isEmpty ? nil : $0 }
    )
  }
}

extension Option where Value == Int {
  /// Makes an option that takes a whole number, 0 or more.
  public init(count name: String, help: String) {
    self.init(name, placeholder: "N", help: help, expects: "a whole number, 0 or more") { text in
      Int(text).flatMap { $0 >= 0 ? $0 : nil }
    }
  }
}

extension Option where Value == URL {
  /// Makes an option that takes an address in the web.
  public init(webAddress name: String, help: String) {
    self.init(
      name,
      placeholder: "URL",
      help: help,
      expects: "an address that begins with http:// or https://",
      convert: URL.init(webAddress:)
    )
  }
}

extension Option where Value: CaseIterable & RawRepresentable<String> {
  /// Makes an option whose values are the cases of an enum; its placeholder lists them.
  public init(choice name: String, help: String) {
    let names = Value.allCases.map(\.rawValue)
    self.init(
      name,
      placeholder: names.joined(separator: "|"),
      help: help,
      expects: names.alternatives,
      completion: .words(names),
      convert: { Value(rawValue: $0) }
    )
  }
}
