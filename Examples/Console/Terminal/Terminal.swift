// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Where a program writes: data to ``output``, everything else to ``notes``.
public struct Terminal: Sendable {
  /// Standard output: the data, and nothing else.
  public let output: FileWriter
  /// Standard error: notes, progress and errors.
  public let notes: FileWriter
  /// The colours of ``output``.
  public let style: Style
  /// The columns of the terminal that shows ``output``, nil for a file or a pipe.
  public let width: Int?
  /// Whether a terminal shows ``output`` that can do more than add lines: a line may be overwritten.
  public let overwritesLines: Bool
  /// Whether a terminal shows ``notes``, so that a line may be overwritten.
  public let showsProgress: Bool

  /// Whether a program may take the whole screen: a terminal shows the output and reads the keys.
  public let hasScreen: Bool

  /// Makes a terminal from its parts.
  public init(
    output: FileWriter,
    notes: FileWriter,
    style: Style = Style(isColored: false),
    width: Int? = nil,
    overwritesLines: Bool = false,
    showsProgress: Bool = false,
    hasScreen: Bool = false
  ) {
    self.output = output
    self.notes = notes
    self.style = style
    self.width = width
    self.overwritesLines = overwritesLines
    self.showsProgress = showsProgress
    self.hasScreen = hasScreen
  }

  /// The terminal of this process.
  public static func standard(
    color: ColorPolicy = .auto,
    environment: [String: String]
  ) -> Terminal {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let isDumb = environment["TERM"] == "dumb"
    let overwritesLines = isTerminal && !isDumb
    return Terminal(
      output: .standardOutput(),
      notes: .standardError(),
      style: Style(
        isColored: color.allowsColor(isTerminal: isTerminal, environment: environment)
      ),
      width: isTerminal ? columns(environment) : nil,
      overwritesLines: overwritesLines,
      showsProgress: isatty(STDERR_FILENO) == 1 && !isDumb,
      hasScreen: overwritesLines && isatty(STDIN_FILENO) == 1
    )
  }

  /// Writes a note for the person at the terminal, without the passwords of addresses in it.
  ///
  /// A note that cannot be written is lost, as there
  /// is no better place to say so.
  public func note(_ text: String) {
    try? notes.writeLine(text.withoutPasswords)
  }

  /// Writes an error in the form `program: error: message`, with the advice below.
  public func report(_ failure: CommandFailure, program: String) {
    let word = style("error:", .error)
    note("\(program): \(showsProgress ? word : "error:") \(failure.message)")
    if !failure.advice.isEmpty { note(failure.advice) }
  }

  private static func columns(_ environment: [String: String]) -> Int {
    if let columns = TerminalSize.ofOutput?.columns { return columns }
    return environment["COLUMNS"].flatMap(Int.init) ?? 80
  }
}
