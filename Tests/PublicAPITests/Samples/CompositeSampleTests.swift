// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Structs as attributes, over both stores.
@Suite("SEMANTICS 1A.8: composite attributes as structs")
struct CompositeSampleTests {
  private func makeContainer(
    _ kind: StoreKind,
    _ folder: TemporaryFolder
  ) throws -> PersistentContainer {
    try PersistentContainer(
      name: "Contacts",
      entities: Contact.self,
      Firm.self,
      store: kind.description(in: folder)
    )
  }

  private static let home = Address(
    city: "Bonn",
    zip: "53111",
    floor: 3,
    spot: Spot(x: 1.5, y: -2),
    notes: ["ring twice"]
  )

  @Test(arguments: StoreKind.allCases)
  func `1A.8 a struct is written, stored and read as a whole and by element`(
    _ kind: StoreKind
  ) throws {
    let folder = try TemporaryFolder()
    let container = try makeContainer(kind, folder)
    let context = container.newBackgroundContext()
    let contact = Contact(context: context)
    #expect(contact.address == nil)
    #expect(contact.office == Address(city: "Ulm", kind: .work))
    (contact.name, contact.age, contact.born) = ("Ada", 36, Date(timeIntervalSinceReferenceDate: 0))
    contact.address = Self.home
    #expect(contact.address == Self.home)
    try context.save()
    contact.address?.zip = "53113"
    #expect(Set(contact.changedValues().keys) == ["address.zip"])
    contact.address?.zip = "53111"
    contact.office.spot = Spot(x: 0, y: 0)
    contact.friend = contact
    try context.save()
    let reader = container.newBackgroundContext()
    let read = try #require(try reader.first(Contact.all))
    #expect(read.name == "Ada" && read.age == 36)
    #expect(read.born == Date(timeIntervalSinceReferenceDate: 0))
    #expect(read.address == Self.home)
    #expect(read.address?.line == "53111 Bonn")
    #expect(read.office.spot == Spot(x: 0, y: 0))
    #expect(read.friend === read && Array(read.friends) == [read])
    #expect(try read.value(forKey: "address.city") as? String == "Bonn")
    #expect(read.snapshot().address == Self.home)
    read.address = nil
    #expect(read.address == nil)
    #expect(try read.value(forKey: "address.floor") == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.8 a subentity's attributes lie behind the elements`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try makeContainer(kind, folder)
    let context = container.newBackgroundContext()
    let firm = Firm(context: context)
    (firm.name, firm.employees, firm.motto) = ("Acme", 7, "More")
    firm.address = Self.home
    firm.branch = Address(city: "Kiel", spot: Spot(x: 1, y: 1))
    try context.save()
    let reader = container.newBackgroundContext()
    let read = try #require(try reader.first(Firm.all))
    #expect(read.name == "Acme" && read.employees == 7 && read.motto == "More")
    #expect(read.address == Self.home)
    #expect(read.branch == Address(city: "Kiel", spot: Spot(x: 1, y: 1)))
    #expect(read.office.city == "Ulm")
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.8 elements are used in predicates and sorts of every spelling`(
    _ kind: StoreKind
  ) throws {
    let folder = try TemporaryFolder()
    let context = try makeContainer(kind, folder).newBackgroundContext()
    for (name, city, x) in [("a", "Ulm", 3.0), ("b", "Bonn", 1), ("c", "Kiel", 2)] {
      let contact = Contact(context: context)
      contact.name = name
      contact.address = Address(city: city, kind: x > 2 ? .work : .home, spot: Spot(x: x, y: 0))
    }
    Contact(context: context).name = "d"
    func names(_ request: FetchRequest<Contact>) throws -> [String] {
      try context.fetch(request.sorted(by: \.name)).map(\.name)
    }
    for _ in 0..<2 {
      let city = "Bonn"
      #expect(try names(Contact.filter("address.city == \(city)")) == ["b"])
      #expect(try names(Contact.filter { $0.address.city == city }) == ["b"])
      #expect(try names(Contact.filter { $0.address.spot.x > 1.5 }) == ["a", "c"])
      #expect(try names(Contact.filter { $0.address.kind == .work }) == ["a"])
      #expect(try names(Contact.filter { $0.address.city == nil }) == ["d"])
      #expect(try names(Contact.filter { $0.office.city == "Ulm" }) == ["a", "b", "c", "d"])
      let checked = #FetchPredicate(Contact.self, "address.city == \(city) OR address.spot.x == 3")
      #expect(try names(Contact.filter(checked)) == ["a", "b"])
      let foundation = #Predicate<Contact> { $0.address?.city == city }
      #expect(try names(Contact.all.filter(foundation)) == ["b"])
      let sorted = Contact.filter("address.city != nil").sorted(by: \.address, \.city)
      #expect(try context.fetch(sorted).map(\.name) == ["b", "c", "a"])
      let reverse = Contact.sorted(by: \.office, \.city).sorted(
        by: FetchSort("address.city", ascending: false)
      )
      #expect(try context.fetch(reverse).map(\.name) == ["a", "c", "b", "d"])
      try context.save()
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.8 a struct without a value in any element is nil in predicates too`(
    _ kind: StoreKind
  ) throws {
    let folder = try TemporaryFolder()
    let context = try makeContainer(kind, folder).newBackgroundContext()
    for (name, spot) in [("a", Spot(x: 1, y: 2)), ("b", nil)] {
      let contact = Contact(context: context)
      contact.name = name
      contact.address = Address(city: "Bonn", spot: spot)
    }
    Contact(context: context).name = "c"
    func names(_ request: FetchRequest<Contact>) throws -> [String] {
      try context.fetch(request.sorted(by: \.name)).map(\.name)
    }
    for _ in 0..<2 {
      #expect(try names(Contact.filter("address == nil")) == ["c"])
      #expect(try names(Contact.filter("address != nil")) == ["a", "b"])
      #expect(try names(Contact.filter { $0.address == nil }) == ["c"])
      #expect(try names(Contact.filter { $0.address != nil }) == ["a", "b"])
      #expect(try names(Contact.filter(#FetchPredicate(Contact.self, "address == nil"))) == ["c"])
      #expect(try names(Contact.filter("address.spot == nil")) == ["b", "c"])
      #expect(try names(Contact.filter("address.spot != nil")) == ["a"])
      try context.save()
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.8 the rules of elements hold, and an unknown element is an error`(
    _ kind: StoreKind
  ) throws {
    let folder = try TemporaryFolder()
    let context = try makeContainer(kind, folder).newBackgroundContext()
    let contact = Contact(context: context)
    contact.name = "Ada"
    contact.address = Address(zip: "123456")
    let problem = try #require(try context.validate().first)
    #expect(problem.code == .stringTooLong)
    #expect(problem.property == "address.zip")
    #expect(throws: PerennialError.self) {
      try context.fetch(Contact.filter { $0.address.line == "x" })
    }
    do {
      _ = try context.fetch(Contact.filter("address.ctiy == 'Ulm'"))
      Issue.record("the fetch succeeded")
    } catch {
      #expect(error.code == .unknownName)
      #expect(error.message.contains("address.ctiy"))
    }
    #expect(throws: PerennialError.self) {
      try context.fetch(Contact.sorted(by: \.address, \.line))
    }
  }

  @Test func `1A.8 an object that has left its context is still read`() throws {
    let folder = try TemporaryFolder()
    let context = try makeContainer(.inMemory, folder).newBackgroundContext()
    let contact = Contact(context: context)
    contact.name = "Ada"
    contact.address = Self.home
    try context.save()
    context.delete(contact)
    try context.save()
    #expect(contact.address == Self.home)
  }
}
