// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What is wrong with a file's text, and where.
struct JSONFault: Error {
  let message: String
  /// The place in the file; `nil` when it is none of one place.
  let position: Int?
  let recovery: String?
  /// The entities whose versions differ from the model's, when that is what is wrong.
  private(set) var entities: [String]?

  init(_ message: String, at position: Int? = nil, recovery: String? = nil) {
    self.message = message
    self.position = position
    self.recovery = recovery
  }

  /// A file of another version of the format, or one that is damaged and says so.
  static func otherVersion(_ version: Int64, mayBeDamaged: Bool) -> JSONFault {
    let reads = "and this program reads \(JSONFormat.version)"
    return JSONFault(
      "it has version \(version) of the format, \(reads)\(mayBeDamaged ? ", or is damaged" : "")",
      recovery: "open it with the program that wrote it; the file has been left as it is"
    )
  }

  /// A file of another version of the model.
  static func incompatible(_ entities: [String]) -> JSONFault {
    var fault = JSONFault("its model has another version")
    fault.entities = entities
    return fault
  }
}
