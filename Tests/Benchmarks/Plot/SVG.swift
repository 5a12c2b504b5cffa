// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// A drawing that is legible on light and on dark pages.
struct SVG {
  private var elements: [String] = []
  let width: Double
  var height: Double

  init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// How a text is placed at its point.
  enum Anchor: String {
    case start, middle, end
  }

  mutating func text(
    _ text: String,
    _ x: Double,
    _ y: Double,
    _ style: String = "second",
    _ anchor: Anchor = .start
  ) {
    let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    elements.append(
      "<text class=\"\(style)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" "
        + "text-anchor=\"\(anchor.rawValue)\">\(escaped)</text>"
    )
  }

  mutating func line(_ points: [(Double, Double)], _ style: String) {
    let path = points.map { "\(Self.number($0.0)),\(Self.number($0.1))" }.joined(separator: " ")
    elements.append("<polyline class=\"\(style)\" points=\"\(path)\"/>")
  }

  mutating func circle(_ x: Double, _ y: Double, radius: Double, _ style: String) {
    elements.append(
      "<circle class=\"\(style)\" cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" "
        + "r=\"\(Self.number(radius))\"/>"
    )
  }

  /// A bar, with a text that is shown when it is pointed at.
  mutating func bar(
    _ x: Double,
    _ y: Double,
    _ width: Double,
    _ height: Double,
    _ style: String,
    title: String
  ) {
    elements.append(
      "<rect class=\"\(style)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" "
        + "width=\"\(Self.number(max(width, 0.5)))\" height=\"\(Self.number(height))\" rx=\"2\">"
        + "<title>\(title)</title></rect>"
    )
  }

  /// The whole file.
  var file: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.number(width)) \(Self.number(height))" \
    width="\(Self.number(width))" height="\(Self.number(height))">
    <style>
    \(Self.style)
    </style>
    <rect class="page" width="100%" height="100%"/>
    \(elements.joined(separator: "\n"))
    </svg>

    """
  }

  private static let style = """
    text { font: 12px system-ui, sans-serif; }
    .title { font-size: 15px; font-weight: 600; }
    .page { fill: #fcfcfb; }
    .first, .title { fill: #0b0b0b; }
    .second { fill: #52514e; }
    .grid { stroke: #e1e0d9; fill: none; }
    .axis { stroke: #898781; fill: none; }
    .good { fill: #2a78d6; }
    .bad { fill: #d03b3b; }
    .none { fill: #898781; }
    .target { stroke: #0b0b0b; stroke-width: 2; fill: none; }
    .ours { stroke: #2a78d6; stroke-width: 2; fill: none; }
    .raw { stroke: #898781; stroke-width: 2; stroke-dasharray: 4 3; fill: none; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #1a1a19; }
      .first, .title { fill: #ffffff; }
      .second { fill: #c3c2b7; }
      .grid { stroke: #2c2c2a; }
      .good { fill: #3987e5; }
      .bad { fill: #e66767; }
      .target { stroke: #ffffff; }
      .ours { stroke: #3987e5; }
    }
    """

  private static func number(_ value: Double) -> String {
    value.rounded() == value ? String(Int(value)) : String(format: "%.1f", value)
  }
}
