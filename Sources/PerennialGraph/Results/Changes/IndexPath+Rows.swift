// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

extension IndexPath {
  /// The path of a row in a section, everywhere made in the same way and without an array.
  static func row(_ row: Int, inSection section: Int) -> IndexPath {
    var path = IndexPath(index: section)
    path.append(row)
    return path
  }

  /// Section and row; `nil` when the path has not two steps.
  var sectionAndRow: (section: Int, row: Int)? { count == 2 ? (self[0], self[1]) : nil }
}

// Where there is UIKit, these are its own; on watchOS it has none.
#if !canImport(UIKit) || os(watchOS)
extension IndexPath {
  /// The path of a row in a section of a list.
  ///
  /// UIKit: `IndexPath.init(row:section:)`.
  ///
  /// - Parameters:
  ///   - row: The row in its section, counted from 0.
  ///   - section: The section, counted from 0.
  public init(row: Int, section: Int) {
    self = .row(row, inSection: section)
  }

  /// The row in its section; the path must have at least two steps.
  public var row: Int {
    get { self[1] }
    set { self[1] = newValue }
  }
}

// AppKit has these, but no rows.
#if !canImport(AppKit)
extension IndexPath {
  /// The path of an item in a section of a list: the same as that of a row.
  ///
  /// UIKit: `IndexPath.init(item:section:)`.
  ///
  /// - Parameters:
  ///   - item: The item in its section, counted from 0.
  ///   - section: The section, counted from 0.
  public init(item: Int, section: Int) {
    self = .row(item, inSection: section)
  }

  /// The section of a list that the path leads to; the path must have at least one step.
  public var section: Int {
    get { self[0] }
    set { self[0] = newValue }
  }

  /// The item in its section: the same as ``row``.
  public var item: Int {
    get { self[1] }
    set { self[1] = newValue }
  }
}
#endif
#endif
