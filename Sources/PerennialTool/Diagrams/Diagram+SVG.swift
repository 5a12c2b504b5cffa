// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension Diagram {
  /// The diagram as a picture, complete in itself.
  var svg: String {
    let layout = DiagramLayout(self)
    let (width, height) = (Self.text(layout.width), Self.text(layout.height))
    var text = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\" "
        + "viewBox=\"0 0 \(width) \(height)\" font-family=\"ui-monospace, monospace\" "
        + "font-size=\"12\">",
      "<title>\(name.escapedForXML)</title>",
      "<defs><marker id=\"parent\" viewBox=\"0 0 12 12\" refX=\"12\" refY=\"6\" markerWidth=\"12\" "
        + "markerHeight=\"12\" orient=\"auto\"><path d=\"M0,0 L12,6 L0,12 Z\" fill=\"white\" "
        + "stroke=\"#555\"/></marker></defs>",
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
    ]
    // Two relationships between the same entities must not lie on each other.
    var counts: [[Int]: Int] = [:]
    for line in lines {
      let pair = [min(line.from, line.to), max(line.from, line.to)]
      text.append(Self.path(of: line, number: counts[pair, default: 0], layout))
      counts[pair, default: 0] += 1
    }
    for (index, box) in boxes.enumerated() {
      text += Self.box(box, layout.frames[index])
    }
    text.append("</svg>")
    return text.joined(separator: "\n") + "\n"
  }

  private static func box(_ box: Box, _ frame: DiagramLayout.Frame) -> [String] {
    let place = "x=\"\(text(frame.x))\" y=\"\(text(frame.y))\" width=\"\(text(frame.width))\""
    let title = DiagramLayout.titleHeight
    let style = box.isAbstract ? " font-style=\"italic\"" : ""
    var parts = [
      "<rect \(place) height=\"\(text(frame.height))\" fill=\"white\" stroke=\"#555\" rx=\"4\"/>",
      "<rect \(place) height=\"\(text(title))\" fill=\"#e8eef7\" stroke=\"#555\" rx=\"4\"/>",
      "<text x=\"\(text(frame.centerX))\" y=\"\(text(frame.y + 17))\" text-anchor=\"middle\" "
        + "font-weight=\"bold\"\(style)>\(box.name.escapedForXML)</text>",
    ]
    for (index, line) in box.lines.enumerated() {
      let y = frame.y + title + DiagramLayout.lineHeight * Double(index + 1)
      parts.append(
        "<text x=\"\(text(frame.x + DiagramLayout.padding))\" y=\"\(text(y))\">"
          + "\(line.escapedForXML)</text>"
      )
    }
    return parts
  }

  private static func path(of line: Line, number: Int, _ layout: DiagramLayout) -> String {
    if line.from == line.to { return loop(line, number: number, layout) }
    let (from, to) = (layout.frames[line.from], layout.frames[line.to])
    let shift = Double((number + 1) / 2) * (number.isMultiple(of: 2) ? 24 : -24)
    let start = layout.border(of: line.from, towards: to.centerX, to.centerY + shift)
    let end = layout.border(of: line.to, towards: from.centerX, from.centerY + shift)
    let path = "M\(text(start.x)),\(text(start.y)) L\(text(end.x)),\(text(end.y))"
    switch line.kind {
    case .inheritance:
      return "<path d=\"\(path)\" fill=\"none\" stroke=\"#555\" marker-end=\"url(#parent)\"/>"
    case .relationship(let first, let second):
      let parts = [
        "<path d=\"\(path)\" fill=\"none\" stroke=\"#888\"/>",
        label(first, near: end, from: start), label(second, near: start, from: end),
      ]
      return parts.joined()
    }
  }

  /// A line from a box to itself: at its right side.
  private static func loop(_ line: Line, number: Int, _ layout: DiagramLayout) -> String {
    guard case .relationship(let first, let second) = line.kind else { return "" }
    let frame = layout.frames[line.from]
    let x = frame.x + frame.width
    let y = frame.y + 8 + Double(number) * 12
    let reach = text(x + 30)
    let names = [first, second].compactMap { end in end.name.map { "\($0) \(end.count)" } }
    let label = Set(names).count == 1 ? names[0] : names.joined(separator: " / ")
    return "<path d=\"M\(text(x)),\(text(y)) C\(reach),\(text(y - 12)) \(reach),\(text(y + 20)) "
      + "\(text(x)),\(text(y + 10))\" fill=\"none\" stroke=\"#888\"/>"
      + "<text x=\"\(text(x + 4))\" y=\"\(text(y - 10))\" font-size=\"10\" fill=\"#333\">"
      + "\(label.escapedForXML)</text>"
  }

  /// What an end of a relationship is called, a little away from the box that it leads to.
  private static func label(
    _ end: End,
    near point: (x: Double, y: Double),
    from other: (x: Double, y: Double)
  ) -> String {
    guard let name = end.name else { return "" }
    let (dx, dy) = (other.x - point.x, other.y - point.y)
    let length = max(1, (dx * dx + dy * dy).squareRoot())
    let x = point.x + dx / length * 26
    let y = point.y + dy / length * 26
    return "<text x=\"\(text(x))\" y=\"\(text(y))\" text-anchor=\"middle\" font-size=\"10\" "
      + "fill=\"#333\">\(name.escapedForXML) \(end.count)</text>"
  }

  /// A length with one digit behind the point at most.
  private static func text(_ length: Double) -> String {
    let tenths = Int((length * 10).rounded())
    return tenths.isMultiple(of: 10) ? String(tenths / 10) : "\(Double(tenths) / 10)"
  }
}
