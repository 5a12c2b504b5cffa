// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialPredicate
import PerennialStore

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// The transformations of texts as functions of SQL: one text in, one text out, NULL for NULL.
extension TextTransform {
  var functionName: String {
    switch self {
    case .canonical: "pn_canonical"
    case .uppercase: "pn_uppercase"
    case .lowercase: "pn_lowercase"
    }
  }

  /// Registers all of them on a connection, for statements only.
  ///
  /// - Parameter connection: The connection.
  /// - Throws: Why SQLite cannot.
  static func register(on connection: SQLiteConnection) throws(SQLiteFailure) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    for transform in allCases {
      try connection.add(transform.functionName, arguments: 1, flags, transform.callback)
    }
  }

  fileprivate typealias Callback =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  private var callback: Callback {
    switch self {
    case .canonical: { context, _, values in TextTransform.canonical.answer(context, values) }
    case .uppercase: { context, _, values in TextTransform.uppercase.answer(context, values) }
    case .lowercase: { context, _, values in TextTransform.lowercase.answer(context, values) }
    }
  }

  // Safe because SQLite copies the text before the call returns.
  private func answer(
    _ context: OpaquePointer?,
    _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    guard let context else { return }
    guard let value = values?[0], sqlite3_value_type(value) == SQLITE_TEXT,
      let start = sqlite3_value_text(value)
    else { return sqlite3_result_null(context) }
    let count = Int(sqlite3_value_bytes(value))
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    var result = apply(to: text)
    result.withUTF8 { SQLiteLibrary.resultCopy(context, UnsafeRawBufferPointer($0)) }
  }
}
