// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// A customer, with rules for what may be saved and attributes that are derived.
@Managed final class Customer: ManagedObject {
  /// What the class itself refuses.
  enum Refusal: Error { case blocked }

  @Attribute(minimumLength: 2, maximumLength: 20) var name: String
  @Attribute(pattern: "[^@ ]+@[^@ ]+") var email: String?
  @Attribute(minimum: 0, maximum: 150) var age: Int = 0
  @Attribute(validation: [.init("SELF != 'root'", message: "Choose another name.")])
  var nickname: String?
  @Attribute(derived: "canonical:(name)") var searchName: String
  @Attribute(derived: "orders.@count") var orderCount: Int
  @Attribute(derived: "orders.total.@sum") var turnover: Double
  @Transient var isSelected: Bool = false
  var orders: ToMany<Order>

  override func validateForInsert() throws {
    try super.validateForInsert()
    if name == "blocked" { throw Refusal.blocked }
  }

  override func awakeFromFetch() { isSelected = true }
}

@Managed final class Order: ManagedObject {
  /// What the class itself refuses.
  enum Refusal: Error { case unlucky }

  @Attribute(minimum: 0) var total: Double
  var customer: Customer?
  @Attribute(derived: "customer.name") var customerName: String?

  override func validateValue(_ value: (any Sendable)?, forKey key: String) throws {
    try super.validateValue(value, forKey: key)
    if key == "total", value as? Double == 13 { throw Refusal.unlucky }
  }
}
