// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

enum Weekday: String, Codable, Sendable {
  case mon, tue, wed, thu, fri, sat, sun
}

/// A value that its type calls equal to others that are stored otherwise.
struct Wish: Codable, Sendable, Equatable {
  var name = ""
  var days: Set<Weekday> = []

  static func == (left: Self, right: Self) -> Bool {
    left.name.lowercased() == right.name.lowercased() && left.days == right.days
  }
}

@Composite struct Stay: Equatable {
  var nights: Int
  var days: Set<Weekday> = []
}

@Managed final class Plan: ManagedObject {
  @Unique var name: String
  @Attribute(preservesValueOnDeletion: true) var tags: Set<String> = []
  var hours: [Weekday: Int] = [:]
  var wish: Wish?
  @Attribute(preservesValueOnDeletion: true) var stay: Stay?
  @Attribute(preservesValueOnDeletion: true) var day: Weekday = .mon
  var other: Weekday?
  var price: Decimal?
  var date: Date?
  var boss: Plan?
}

/// A class whose hook sets an equal value in every round.
@Managed final class Tagged: ManagedObject {
  var tags: Set<String> = []

  override func willSave() { tags = tags.union(["all"]) }
}

/// Two versions of a struct that is stored as JSON.
enum ProfileVersion {
  struct First: Codable, Sendable { var theme = "dark" }

  struct Second: Codable, Sendable, Equatable {
    var theme = "light"
    var size = 12
  }
}

@Composite struct FirstPlace {
  var city: String = ""
  var day: String = "never"
  var other: String?
}

@Composite struct SecondPlace {
  var city: String = ""
  var day: Weekday = .mon
  var other: Weekday?
}

@Managed("Profile") final class FirstProfile: ManagedObject {
  var name: String = ""
  var place: FirstPlace = FirstPlace()
  var day: String = "never"
  var settings: ProfileVersion.First = ProfileVersion.First()
}

@Managed("Profile") final class SecondProfile: ManagedObject {
  var name: String = ""
  var place: SecondPlace = SecondPlace()
  var day: Weekday = .mon
  var settings: ProfileVersion.Second = ProfileVersion.Second()
}

/// Values of enums, Codable and composite types: which are equal, which are kept, and where they are taken.
@Suite("Values of enums, Codable and composite types")
struct CodableValueTests {
  private static let week: Set<Weekday> = [.mon, .tue, .wed, .thu, .fri, .sat, .sun]

  private func container(
    _ kind: StoreKind,
    in folder: TemporaryFolder
  ) throws -> PersistentContainer {
    var store = kind.description(in: folder)
    if kind != .json { store.historyKeepsOldValues = true }
    return try PersistentContainer(name: "Plans", entities: Plan.self, store: store)
  }

  private func plan(_ name: String, _ context: ManagedObjectContext) -> Plan {
    let plan = Plan(context: context)
    plan.name = name
    return plan
  }

  @Test(arguments: StoreKind.allCases)
  func `an equal set or dictionary is no change, whatever its order`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let context = try container(kind, in: folder).newBackgroundContext()
    let plan = plan("a", context)
    plan.tags = Set((0..<30).map(String.init))
    plan.hours = Dictionary(uniqueKeysWithValues: Self.week.map { ($0, 1) })
    plan.wish = Wish(name: "w", days: Self.week)
    plan.stay = Stay(nights: 1, days: Self.week)
    try context.save()
    for _ in 0..<20 {
      plan.tags = Set(plan.tags.shuffled())
      plan.hours = Dictionary(uniqueKeysWithValues: plan.hours.shuffled())
      plan.wish = Wish(name: "w", days: Set(Self.week.shuffled()))
      plan.stay = Stay(nights: 1, days: Set(Self.week.shuffled()))
    }
    #expect(plan.changedValues().isEmpty)
    #expect(!context.hasChanges)
    plan.wish = Wish(name: "W", days: Self.week)
    plan.tags.remove("7")
    plan.hours[.mon] = 2
    plan.stay?.days.remove(.mon)
    #expect(Set(plan.changedValues().keys) == ["wish", "tags", "hours", "stay.days"])
    try context.save()
    #expect(plan.wish?.name == "W")
    #expect(plan.tags.count == 29)
  }

  @Test(arguments: StoreKind.allCases)
  func `a hook that sets an equal set comes to its end`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try PersistentContainer(
      name: "Tags",
      entities: Tagged.self,
      store: kind.description(in: folder)
    )
    let context = container.newBackgroundContext()
    for count in 1...30 {
      let object = Tagged(context: context)
      object.tags = Set((0..<count).map { "\(count) \($0)" })
      try context.save()
      #expect(object.tags.count == count + 1)
    }
  }

  @Test(arguments: [StoreKind.sqlite, .json])
  func `a stored value that its type cannot decode is told, and not overwritten unseen`(
    _ kind: StoreKind
  ) throws {
    let folder = try TemporaryFolder()
    let store = kind.description(in: folder)
    do {
      let container = try PersistentContainer(
        name: "Old",
        entities: FirstProfile.self,
        store: store
      )
      let context = container.newBackgroundContext()
      let profile = FirstProfile(context: context)
      profile.settings.theme = "sun"
      profile.place.other = "always"
      try context.save()
    }
    let container = try PersistentContainer(name: "New", entities: SecondProfile.self, store: store)
    let context = container.newBackgroundContext()
    let profile = try #require(try context.first(SecondProfile.all))
    #expect(context.lastFaultError == nil)
    #expect(profile.day == .mon)
    #expect(context.lastFaultError?.property == "day")
    #expect(profile.settings == ProfileVersion.Second())
    #expect(context.lastFaultError?.code == .typeMismatch)
    #expect(context.lastFaultError?.property == "settings")
    #expect(context.lastFaultError?.underlying is DecodingError)

    profile.settings.size = 14
    let error = try failure { try context.save() }
    #expect(error.code == .typeMismatch && error.property == "settings")
    profile.name = "Ada"
    profile.day = .tue
    try context.save()
    let data = try #require(try profile.value(forKey: "settings") as? Data)
    #expect(String(decoding: data, as: UTF8.self) == #"{"theme":"sun"}"#)

    profile.place.city = "Oslo"
    try context.save()
    #expect(profile.place.city == "Oslo" && profile.place.day == .mon)
    #expect(try profile.value(forKey: "place.day") as? String == "never")
    #expect(try profile.value(forKey: "place.other") as? String == "always")
    profile.place.day = .wed
    profile.place.other = .fri
    try context.save()
    #expect(profile.place.day == .wed && profile.place.other == .fri)
    profile.place.day = .mon
    profile.place.other = nil
    #expect(try profile.value(forKey: "place.day") as? String == "mon")
    #expect(try profile.value(forKey: "place.other") == nil)

    try profile.setValue(nil, forKey: "settings")
    profile.settings.size = 14
    try context.save()
    #expect(profile.settings == ProfileVersion.Second(theme: "light", size: 14))
    #expect(profile.day == .tue)
  }

  @Test(arguments: StoreKind.allCases)
  func `batches and values by name take enums, Codable values and composites`(
    _ kind: StoreKind
  ) throws {
    let folder = try TemporaryFolder()
    let context = try container(kind, in: folder).newBackgroundContext()
    let given: [[String: (any Sendable)?]] = [
      ["name": "a", "day": Weekday.sat, "tags": Set(["x"]), "stay": Stay(nights: 3)],
      ["name": "b"],
    ]
    try context.execute(BatchInsertRequest(entityName: "Plan", objects: given))
    let plan = try #require(try context.first(Plan.filter("name == 'a'")))
    #expect(plan.day == .sat && plan.tags == ["x"])
    #expect(plan.stay == Stay(nights: 3))

    var request = BatchUpdateRequest(Plan.self, where: "name == 'a'")
    request.set(\Plan.day, to: .fri)
    request.set(\Plan.other, to: .sun)
    request.set(\Plan.tags, to: ["y", "z"])
    request.set(\Plan.wish, to: Wish(name: "w"))
    request.set(\Plan.stay, to: Stay(nights: 7, days: [.tue]))
    #expect(try context.execute(request).count == 1)
    #expect(plan.day == .fri && plan.other == .sun && plan.tags == ["y", "z"])
    #expect(plan.wish == Wish(name: "w") && plan.stay == Stay(nights: 7, days: [.tue]))
    request = BatchUpdateRequest(Plan.self)
    request.set(\Plan.other, to: nil)
    request.set(\Plan.wish, to: nil)
    request.set(\Plan.stay, to: nil)
    #expect(try context.execute(request).count == 2)
    #expect(plan.other == nil && plan.wish == nil && plan.stay == nil)

    try plan.setValue(Weekday.wed, forKey: "day")
    try plan.setValue(Set(["k"]), forKey: "tags")
    try plan.setValue(Stay(nights: 9), forKey: "stay")
    #expect(plan.day == .wed && plan.tags == ["k"] && plan.stay == Stay(nights: 9))
    let error = try failure { try plan.setValue(Wish(), forKey: "day") }
    #expect(error.code == .typeMismatch)
    context.rollback()
    #expect(try context.execute(BatchDeleteRequest(Plan.self, where: "name == 'a'")).count == 1)
    #expect(try context.fetch(Plan.all).map(\.name) == ["b"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch request refuses what no store keeps as it is`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let context = try container(kind, in: folder).newBackgroundContext()
    let plan = plan("a", context)
    plan.price = 1
    try context.save()
    let long = try #require(Decimal(string: "1234567890123456.78"))
    let noDate = Date(timeIntervalSinceReferenceDate: .nan)
    let values: [(String, any Sendable, PerennialError.Code)] = [
      ("price", Decimal.nan, .validation), ("price", long, .validation),
      ("date", noDate, .invalidDate),
    ]
    for (name, value, code) in values {
      let objects: [[String: (any Sendable)?]] = [["name": "b", name: value]]
      let inserted = try failure {
        try context.execute(BatchInsertRequest(entityName: "Plan", objects: objects))
      }
      #expect(inserted.code == code && inserted.property == name)
      var request = BatchUpdateRequest(Plan.self)
      request.propertiesToUpdate[name] = .some(value)
      let updated = try failure { try context.execute(request) }
      #expect(updated.code == code && updated.property == name)
    }
    #expect(try context.count(for: Plan.all) == 1)
    #expect(plan.price == 1 && plan.date == nil)
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `history gives enums, Codable values and objects by key path`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let context = try container(kind, in: folder).newBackgroundContext()
    let (boss, plan) = (plan("boss", context), plan("a", context))
    (plan.boss, plan.other, plan.tags) = (boss, .wed, ["x"])
    try context.save()
    (plan.boss, plan.day, plan.other, plan.tags) = (nil, .tue, nil, ["y"])
    plan.stay = Stay(nights: 2)
    try context.save()
    let history = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: nil))
    let change = try #require(history.transactions.last?.changes.first)
    #expect(change.oldValue(\Plan.day) == .mon)
    #expect(change.oldValue(\Plan.other) == .wed)
    #expect(change.oldValue(\Plan.tags) == ["x"])
    #expect(change.oldValue(\Plan.boss) == boss.objectID)

    context.delete(plan)
    try context.save()
    let end = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: nil))
    let deletion = try #require(end.transactions.last?.changes.first)
    #expect(deletion.tombstone(\Plan.day) == .tue)
    #expect(deletion.tombstone(\Plan.tags) == ["y"])
    #expect(deletion.tombstone["stay.nights"] == .integer(2))

    var request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
    request.affectedStores = [UUID()]
    let error = try failure { try context.execute(request) }
    #expect(error.code == .persistentStoreUnsupportedRequestType)
    #expect(error.message.contains("'affectedStores'"))
  }

  @Test(arguments: StoreKind.allCases)
  func `several problems name the first, and their objects`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let context = try container(kind, in: folder).newBackgroundContext()
    let plan = plan("a", context)
    plan.price = .nan
    plan.date = Date(timeIntervalSinceReferenceDate: .nan)
    #expect("\(plan)".contains("date: nan"))
    let error = try failure { try context.save() }
    #expect(error.code == .multipleErrors)
    let first = try #require(error.problems.first?.message)
    #expect(error.message == "There are 2 problems. The first: \(first)")
    #expect(error.description.contains("  - \(first) (\(plan.objectID))"))
  }

  @Test func `a tuple of a related object's attribute is told what to do instead`() throws {
    let folder = try TemporaryFolder()
    let context = try container(.inMemory, in: folder).newBackgroundContext()
    let error = try failure {
      let _: [(String, String?)] = try context.fetch(Plan.all, \.name, \.boss?.name)
    }
    #expect(error.code == .unknownName)
    #expect(error.recovery.contains("fetchDictionaries"))
  }
}
