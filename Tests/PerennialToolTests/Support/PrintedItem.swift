// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A row of `Item` as `dump --json` prints it.
struct PrintedItem: Decodable, Equatable {
  var _id: String
  var _entity: String
  var added: String?
  var count: Int?
  var cover: String?
  var home: String?
  var isbn: String?
  var isRead: Bool?
  var price: Double?
  var rating: Double?
  var title: String
  var author: String?
  var shelf: String?
  var tags: [String]
  var issue: Int?
}
