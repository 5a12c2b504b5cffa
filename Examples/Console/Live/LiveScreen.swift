// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The whole terminal, for as long as a live list runs.
///
/// What was there before comes back at the end. A frame appears at once, without flicker, where the
/// terminal knows synchronised output.
struct LiveScreen {
  private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
  private static let leave = "\u{1B}[?25h\u{1B}[?1049l"
  private static let begin = "\u{1B}[?2026h\u{1B}[H"
  private static let end = "\u{1B}[J\u{1B}[?2026l"

  private let output: FileWriter
  /// How the terminal treated keys before.
  private let settings: termios

  /// Takes the terminal; keys come one by one and are not shown.
  init(_ output: FileWriter) throws {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
      throw CommandFailure(
        "the terminal does not say how it treats keys",
        advice: "Run the program in a terminal, or send its output through '| cat'."
      )
    }
    self.output = output
    self.settings = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    settings.c_iflag &= ~tcflag_t(IXON | ICRNL)
    // Safe because both indices are smaller than the number of control characters.
    withUnsafeMutableBytes(of: &settings.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    try output.write(Self.enter)
    try output.flush()
  }

  /// Shows a frame.
  func show(_ lines: [String]) throws {
    let text = lines.joined(separator: "\u{1B}[K\r\n")
    try output.write("\(Self.begin)\(text)\u{1B}[K\(Self.end)")
    try output.flush()
  }

  /// Gives the terminal back.
  func close() {
    try? output.write(Self.leave)
    try? output.flush()
    var settings = settings
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
  }
}
