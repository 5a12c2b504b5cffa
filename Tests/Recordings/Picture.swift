// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import ProgramTesting

/// Frames as an SVG picture that shows one after the other, again and again.
///
/// Whoever wants no motion, or has a program that knows none, sees the last frame.
struct Picture {
  let title: String
  let frames: [Frame]

  private static let (columnWidth, rowHeight, margin) = (8.4, 19.0, 16.0)

  /// The text of the file.
  var svg: String {
    let width = Double(Stage.columns) * Self.columnWidth + 2 * Self.margin
    let height = Double(Stage.rows) * Self.rowHeight + 2 * Self.margin
    let groups = frames.enumerated().map(group).joined(separator: "\n")
    return """
      <svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 \(width.short) \(height.short)" \
      width="\(width.short)" height="\(height.short)" role="img">
      <title>\(title.escapedForXML)</title>
      <style>
      text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; \
      white-space: pre; fill: #1f2328 }
      .paper { fill: #f6f8fa; stroke: #d0d7de }
      .title { font-weight: bold }
      .id { fill: #7d4e00 }
      .name { fill: #0a6b74 }
      .quiet { fill: #656d76 }
      .mark { fill: #f6f8fa }
      .back { fill: #0a6b74 }
      .error { fill: #a40e26; font-weight: bold }
      .prompt { fill: #116329; font-weight: bold }
      @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .paper { fill: #0d1117; stroke: #30363d }
      .id { fill: #e3b341 }
      .name { fill: #76e3ea }
      .quiet { fill: #8b949e }
      .mark { fill: #0d1117 }
      .back { fill: #76e3ea }
      .error { fill: #ff7b72 }
      .prompt { fill: #7ee787 }
      }
      g { visibility: hidden }
      g:last-of-type { visibility: visible }
      @media (prefers-reduced-motion: no-preference) {
      \(motion)
      }
      </style>
      <rect class="paper" x="0.5" y="0.5" width="\((width - 1).short)" height="\((height - 1).short)" rx="8"/>
      \(groups)
      </svg>

      """
  }

  /// When each frame is shown.
  private var motion: String {
    let total = frames.reduce(0) { $0 + $1.seconds }
    var start = 0.0
    return frames.enumerated().map { number, frame in
      defer { start += frame.seconds }
      let (from, to) = (start / total * 100, (start + frame.seconds) / total * 100)
      // A step holds until the next one; the first and the last frame reach the borders.
      let before = number == 0 ? "" : "0% { visibility: hidden } "
      let after = number == frames.count - 1 ? "" : " \(to.short)% { visibility: hidden }"
      return """
        #f\(number) { animation: k\(number) \(total.short)s step-end infinite }
        @keyframes k\(number) { \(before)\(from.short)% { visibility: visible }\(after) }
        """
    }.joined(separator: "\n")
  }

  private func group(_ number: Int, _ frame: Frame) -> String {
    let rows = frame.lines.enumerated().flatMap { row, line in texts(of: line, inRow: row) }
    return (["<g id=\"f\(number)\">"] + rows + ["</g>"]).joined(separator: "\n")
  }

  /// A text for each part, of exactly as many columns as it has in a terminal, whatever the font is.
  private func texts(of line: Line, inRow row: Int) -> [String] {
    var column = 0
    var texts: [String] = []
    for run in line {
      defer { column += run.text.displayWidth }
      let name = Self.className(run.style)
      let words = run.text.drop { $0 == " " && run.style != "7" }
      guard !words.isEmpty else { continue }
      let start = column + run.text.displayWidth - String(words).displayWidth
      let x = Self.margin + Double(start) * Self.columnWidth
      let top = Self.margin + Double(row) * Self.rowHeight
      let width = Double(String(words).displayWidth) * Self.columnWidth
      if run.style == "7" {
        texts.append(
          "<rect class=\"back\" x=\"\(x.short)\" y=\"\(top.short)\" width=\"\(width.short)\" height=\"19\"/>"
        )
      }
      texts.append(
        "<text\(name.isEmpty ? "" : " class=\"\(name)\"") x=\"\(x.short)\" y=\"\((top + 14).short)\" "
          + "textLength=\"\(width.short)\">\(String(words).escapedForXML)</text>"
      )
    }
    return texts
  }

  /// The class of what a program shows in a style of Console's.
  private static func className(_ style: String) -> String {
    switch style {
    case "1": "title"
    case "33": "id"
    case "36": "name"
    case "2": "quiet"
    case "7": "mark"
    case "1;31": "error"
    case Stage.promptStyle: "prompt"
    default: ""
    }
  }
}

extension Double {
  /// The number with at most two digits of a fraction.
  fileprivate var short: String {
    let hundredths = Int((self * 100).rounded())
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return "\(whole)" }
    return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }
}

extension String {
  fileprivate var escapedForXML: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
