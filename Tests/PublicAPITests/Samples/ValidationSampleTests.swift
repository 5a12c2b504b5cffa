// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Rules, hooks and derived attributes as a user meets them, over both stores.
@Suite("Validation samples")
struct ValidationSampleTests {
  private func makeContainer(
    _ kind: StoreKind,
    _ folder: TemporaryFolder
  ) throws -> PersistentContainer {
    try PersistentContainer(
      name: "Shop",
      entities: Customer.self,
      Order.self,
      store: kind.description(in: folder)
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.1 rules of the macro are checked by validate and by the save`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let context = try makeContainer(kind, folder).newBackgroundContext()
    let customer = Customer(context: context)
    customer.name = "A"
    customer.email = "nobody"
    customer.age = 200
    customer.nickname = "root"
    let problems = try context.validate()
    #expect(problems.map(\.property) == ["name", "email", "age", "nickname"])
    #expect(
      problems.map(\.code) == [
        .stringTooShort, .stringPatternMatching, .numberTooLarge, .validation,
      ]
    )
    #expect(problems.last?.message == "Choose another name.")
    do {
      try context.save()
      Issue.record("the save succeeded")
    } catch PerennialError.validation {
      customer.name = "Ada"
      customer.email = "ada@example.com"
      customer.age = 36
      customer.nickname = nil
    } catch {
      throw error
    }
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.2 a class refuses with an error of its own`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let context = try makeContainer(kind, folder).newBackgroundContext()
    Customer(context: context).name = "blocked"
    let problem = try #require(try context.validate().first)
    #expect(problem.code == .validation)
    #expect(problem.underlying is Customer.Refusal)
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.2 a class refuses the value of one property`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let context = try makeContainer(kind, folder).newBackgroundContext()
    let order = Order(context: context)
    order.total = -1
    #expect(try context.validate().map(\.code) == [.numberTooSmall])
    order.total = 13
    let problem = try #require(try context.validate().first)
    #expect(problem.property == "total")
    #expect(problem.underlying is Order.Refusal)
    order.total = 14
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 an attribute can be copied through a relationship`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try makeContainer(kind, folder)
    let context = container.newBackgroundContext()
    let (customer, order) = (Customer(context: context), Order(context: context))
    customer.name = "Zoë"
    order.total = 5
    order.customer = customer
    try context.save()
    #expect(order.customerName == "Zoë")
    customer.name = "Zoe"
    #expect(try context.count(for: Order.filter("customerName == 'Zoe'")) == 1)
    try context.save()
    let reader = container.newBackgroundContext()
    #expect(try reader.fetch(Order.all).map(\.customerName) == ["Zoe"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 derived attributes are right before and after the save`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try makeContainer(kind, folder)
    let context = container.newBackgroundContext()
    let customer = Customer(context: context)
    customer.name = "Zoë"
    for total in [10.0, 2.5] {
      let order = Order(context: context)
      order.total = total
      order.customer = customer
    }
    #expect(customer.searchName == "zoe")
    try context.processPendingChanges()
    #expect(customer.orderCount == 2)
    try context.save()
    let reader = container.newBackgroundContext()
    let request = Customer.filter("turnover > 12 AND searchName == 'zoe'")
    let found = try #require(try reader.first(request))
    #expect(found.turnover == 12.5)
    #expect(found.isSelected)
    #expect(!found.hasChanges)
  }

  @Test func `1B.1 a pattern that cannot be read is an invalid model`() throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "A",
        properties: [.attribute("x", .string, validation: ValidationRules(pattern: "[a"))]
      )
    )
    do {
      _ = try PersistentContainer(name: "Wrong", model: model, store: .inMemory)
      Issue.record("the container opened")
    } catch PerennialError.model {
    } catch {
      throw error
    }
  }
}
