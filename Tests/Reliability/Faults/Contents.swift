// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// What a store of boxes, items and tags holds, as plain values: what is expected of it is computed with these.
struct Contents: Equatable {
  struct Box: Equatable {
    var note: String?
    var picture: Picture?
    var items: Set<String> = []
  }

  /// So many bytes, all the same.
  struct Picture: Equatable {
    var count: Int
    var byte: UInt8

    var data: Data { Data(repeating: byte, count: count) }

    init(_ count: Int, of byte: UInt8) { (self.count, self.byte) = (count, byte) }

    /// A picture of bytes; 256 different ones give none that is expected.
    init?(_ data: Data?) {
      guard let data, let first = data.first else { return nil }
      self.init(data.allSatisfy { $0 == first } ? data.count : -1, of: first)
    }
  }

  struct Item: Equatable {
    var count: Int
    var box: String?
    var tags: Set<String> = []
    /// An attribute that the second version of the model adds.
    var rating: Int?
  }

  /// The version of the model.
  var version = 1
  var boxes: [String: Box] = [:]
  var items: [String: Item] = [:]
  /// Words, and the items that have them.
  var tags: [String: Set<String>] = [:]
  /// How many transactions the history has; `nil` when nobody asks.
  var transactions: Int?

  /// A store that has just been made.
  static let nothing = Contents()

  /// What the stores of most scenarios hold in the beginning: a picture in a file of its own, and one in its row.
  static var start: Contents {
    var contents = Contents()
    contents.boxes["a"] = Box(note: "first", picture: Picture(140_000, of: 1))
    contents.boxes["b"] = Box()
    contents.boxes["c"] = Box(note: "third", picture: Picture(100, of: 3))
    contents.tags = ["red": [], "blue": []]
    contents.put("a1", 1, in: "a", ["red"])
    contents.put("a2", 2, in: "a", [])
    contents.put("b1", 3, in: "b", ["red", "blue"])
    contents.put("b2", 4, in: "b", [])
    contents.put("c1", 5, in: "c", [])
    return contents
  }

  /// What `ShelfModel.change(_:)` makes of the start.
  static var changed: Contents {
    var contents = start
    contents.boxes["n"] = Box(note: "new", picture: Picture(150_000, of: 9))
    contents.put("n1", 7, in: "n", ["red"])
    contents.boxes["a"]?.note = "changed"
    contents.boxes["a"]?.picture = Picture(160_000, of: 5)
    contents.boxes["a"]?.items = ["a1"]
    contents.boxes["c"]?.items = ["c1", "a2"]
    contents.items["a2"] = Item(count: 20, box: "c")
    contents.boxes["b"] = nil
    (contents.items["b1"], contents.items["b2"]) = (nil, nil)
    contents.tags = ["red": ["a1", "n1"], "blue": []]
    return contents
  }

  /// The start, after two boxes have changed their names.
  static var swapped: Contents {
    var contents = start
    (contents.boxes["a"], contents.boxes["c"]) = (contents.boxes["c"], contents.boxes["a"])
    for label in ["a1", "a2"] { contents.items[label]?.box = "c" }
    contents.items["c1"]?.box = "a"
    return contents
  }

  /// The start in the second version of the model.
  static var migrated: Contents {
    var contents = start
    contents.version = 2
    for label in contents.items.keys { contents.items[label]?.rating = 3 }
    return contents
  }

  /// The start in the third version of the model, which has no notes.
  static var reshaped: Contents {
    var contents = start
    contents.version = 3
    for name in contents.boxes.keys { contents.boxes[name]?.note = nil }
    return contents
  }

  /// The same with large pictures that are smaller than usual.
  func scaled(_ scale: Int) -> Contents {
    var contents = self
    for (name, box) in boxes {
      guard let picture = box.picture, picture.count > 1_000 else { continue }
      contents.boxes[name]?.picture = Picture(picture.count / scale, of: picture.byte)
    }
    return contents
  }

  mutating func put(_ label: String, _ count: Int, in box: String, _ words: Set<String>) {
    items[label] = Item(count: count, box: box, tags: words)
    boxes[box]?.items.insert(label)
    for word in words { tags[word]?.insert(label) }
  }
}
