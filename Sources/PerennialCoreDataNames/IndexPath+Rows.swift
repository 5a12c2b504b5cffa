// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

#if !canImport(Darwin)

/// The two numbers by which lists name their rows; on Apple systems the user interface adds them.
extension IndexPath {
  /// The place of a row in a list.
  ///
  /// - Parameters:
  ///   - row: The row's number in its section, from 0.
  ///   - section: The section's number, from 0.
  public init(row: Int, section: Int) { self = [section, row] }

  /// The place of an item in a grid.
  ///
  /// - Parameters:
  ///   - item: The item's number in its section, from 0.
  ///   - section: The section's number, from 0.
  public init(item: Int, section: Int) { self = [section, item] }

  /// The number of the section; the path must have two numbers.
  public var section: Int {
    get { self[0] }
    set { self[0] = newValue }
  }

  /// The number of the row in its section; the path must have two numbers.
  public var row: Int {
    get { self[1] }
    set { self[1] = newValue }
  }

  /// The number of the item in its section; the path must have two numbers.
  public var item: Int {
    get { self[1] }
    set { self[1] = newValue }
  }
}

#endif
