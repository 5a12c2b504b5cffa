// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console

/// Where the boxes of a diagram lie: in columns, those that are related near each other.
struct DiagramLayout {
  struct Frame {
    var x: Double
    var y: Double
    let width: Double
    let height: Double

    var centerX: Double { x + width / 2 }
    var centerY: Double { y + height / 2 }
  }

  static let lineHeight = 16.0
  static let titleHeight = 26.0
  static let padding = 10.0
  private static let letterWidth = 7.3
  private static let gap = 90.0
  private static let margin = 20.0
  private static let leastWidth = 100.0

  /// The frame of every box.
  private(set) var frames: [Frame]
  private(set) var width = 0.0
  private(set) var height = 0.0

  init(_ diagram: Diagram) {
    frames = diagram.boxes.map { box in
      let letters = box.lines.reduce(box.name.displayWidth) { max($0, $1.displayWidth) }
      let lines = Double(box.lines.count) * Self.lineHeight
      return Frame(
        x: 0,
        y: 0,
        width: max(Self.leastWidth, Double(letters) * Self.letterWidth + 2 * Self.padding),
        height: Self.titleHeight + lines + (box.lines.isEmpty ? 0 : Self.padding)
      )
    }
    place(Self.order(of: diagram))
  }

  /// The boxes in an order where neighbours follow each other: from the one with the most lines outwards.
  private static func order(of diagram: Diagram) -> [Int] {
    var neighbours = Array(repeating: [Int](), count: diagram.boxes.count)
    for line in diagram.lines where line.from != line.to {
      neighbours[line.from].append(line.to)
      neighbours[line.to].append(line.from)
    }
    var order: [Int] = []
    var isPlaced = Array(repeating: false, count: diagram.boxes.count)
    let starts = diagram.boxes.indices.sorted {
      (neighbours[$1].count, $0) < (neighbours[$0].count, $1)
    }
    for start in starts where !isPlaced[start] {
      var next = order.count
      order.append(start)
      isPlaced[start] = true
      while next < order.count {
        for other in neighbours[order[next]] where !isPlaced[other] {
          order.append(other)
          isPlaced[other] = true
        }
        next += 1
      }
    }
    return order
  }

  /// Fills columns of about the same height from left to right.
  private mutating func place(_ order: [Int]) {
    let total = order.reduce(0) { $0 + frames[$1].height + Self.gap }
    let columnCount = max(1, Int(Double(order.count).squareRoot().rounded()))
    let most = total / Double(columnCount)
    var x = Self.margin
    var y = Self.margin
    var columnWidth = 0.0
    for index in order {
      if y > Self.margin, y + frames[index].height / 2 > most + Self.margin {
        x += columnWidth + Self.gap
        y = Self.margin
        columnWidth = 0
      }
      frames[index].x = x
      frames[index].y = y
      y += frames[index].height + Self.gap
      columnWidth = max(columnWidth, frames[index].width)
      width = max(width, x + columnWidth + Self.margin + Self.gap / 2)
      height = max(height, y - Self.gap + Self.margin + Self.gap / 2)
    }
  }

  /// Where the way from the middle of a box towards a point leaves the box.
  func border(of index: Int, towards x: Double, _ y: Double) -> (x: Double, y: Double) {
    let frame = frames[index]
    let (dx, dy) = (x - frame.centerX, y - frame.centerY)
    guard dx != 0 || dy != 0 else { return (frame.centerX, frame.y) }
    let scale = min(
      dx == 0 ? .infinity : frame.width / 2 / abs(dx),
      dy == 0 ? .infinity : frame.height / 2 / abs(dy)
    )
    return (frame.centerX + dx * scale, frame.centerY + dy * scale)
  }
}
