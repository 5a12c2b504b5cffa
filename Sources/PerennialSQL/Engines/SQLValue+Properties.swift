// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

extension SQLValue {
  /// A value as a column of ``SQLTables`` holds it: decimals as text, with all digits; of a relationship the key, of an
  /// attribute the bytes of the whole ID.
  init(storing value: PropertyValue, in slot: SlotLayout) {
    switch value {
    case .decimal(let number): self = .text(number.description)
    case .objectID(let id) where slot.attribute != nil:
      self = .blob(Data(id.uriRepresentation.absoluteString.utf8))
    default: self.init(binding: value)
    }
  }
}

extension PropertyValue {
  /// The value of an attribute in a column of ``SQLTables``, or `nil` when it cannot be one.
  init?(_ value: SQLValue, of type: AttributeType) {
    switch (type, value) {
    case (.int16, .integer(let number)), (.int32, .integer(let number)),
      (.int64, .integer(let number)):
      self = .integer(number)
    case (.bool, .integer(let number)): self = .boolean(number != 0)
    case (.double, .double(let number)), (.float, .double(let number)): self = .double(number)
    case (.double, .integer(let number)), (.float, .integer(let number)):
      self = .double(Double(number))
    case (.date, .double(let number)): self = .date(Date(timeIntervalSinceReferenceDate: number))
    case (.date, .integer(let number)):
      self = .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    case (.decimal, .text(let text)):
      guard let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else {
        return nil
      }
      self = .decimal(number)
    case (.string, .text(let text)): self = .string(text)
    case (.url, .text(let text)):
      guard let url = URL(string: text) else { return nil }
      self = .url(url)
    case (.uuid, .blob(let data)):
      guard data.count == 16 else { return nil }
      // Safe because the bytes are copied inside the call that lends them.
      let bytes = data.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
      self = .uuid(UUID(uuid: bytes))
    case (.binaryData, .blob(let data)), (.transformable, .blob(let data)),
      (.undefined, .blob(let data)), (.composite, .blob(let data)):
      self = .data(data)
    case (.objectID, .blob(let data)):
      guard let url = URL(string: String(decoding: data, as: UTF8.self)),
        let id = ManagedObjectID(uriRepresentation: url)
      else { return nil }
      self = .objectID(id)
    default: return nil
    }
  }
}
