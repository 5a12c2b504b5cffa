// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Something in a model file that Perennial does not know, does not do, or advises against.
///
/// The model is read all the same.
public struct ModelDiagnostic: Sendable, Hashable, CustomStringConvertible {
  /// The line of the element concerned, counted from 1; 0 in a compiled model, which has no lines.
  public var line: Int
  /// What is left out and why, or what is wrong, in one sentence without its full stop.
  public var message: String
  /// Whether a derivation, a pattern or a condition is wrong, so that no store can be opened with the model.
  ///
  /// The plug-ins that generate classes report it as an error of the build.
  public var isError: Bool

  init(line: Int, _ message: String, isError: Bool = false) {
    self.line = line
    self.message = message
    self.isError = isError
  }

  /// The line, if there is one, and the message.
  public var description: String { line > 0 ? "line \(line): \(message)" : message }
}
