// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The options that several programs have.
public enum CommonOptions {
  /// Asks for JSON.
  public static let json = Flag("json", help: "print JSON instead of text")
  /// When to colour the output.
  public static let color = Option<ColorPolicy>(
    choice: "color",
    help: "when to use colours (default: auto)"
  )
}
