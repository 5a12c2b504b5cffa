// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// One line on standard error that is overwritten while work goes on.
///
/// Nothing is written when no terminal shows standard error.
public struct ProgressLine {
  private let terminal: Terminal
  private let interval: Duration
  private var lastShown: ContinuousClock.Instant?

  /// Makes a line that is shown at most once in each interval.
  public init(_ terminal: Terminal, interval: Duration = .milliseconds(100)) {
    self.terminal = terminal
    self.interval = interval
  }

  /// Shows a text in place of the one before, cut to the terminal's width.
  public mutating func show(_ text: @autoclosure () -> String) {
    guard terminal.showsProgress else { return }
    let now = ContinuousClock.now
    if let lastShown, now - lastShown < interval { return }
    lastShown = now
    let line = text().escapedForTerminal.truncated(toWidth: (terminal.width ?? 80) - 1)
    try? terminal.notes.write("\r\u{1B}[K\(line)")
  }

  /// Removes the line.
  public mutating func clear() {
    guard lastShown != nil else { return }
    lastShown = nil
    try? terminal.notes.write("\r\u{1B}[K")
  }
}
