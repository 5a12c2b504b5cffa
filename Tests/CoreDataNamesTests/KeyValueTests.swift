// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialCoreDataNames
import Testing

@Managed final class Reading: NSManagedObject {
  var count: Int
  var level: Int16
  var height: Float
  var isValid: Bool
  var weight: Double?
  var text: String?
  var date: Date?
  var key: UUID?
  var site: URL?
  var place: Place?
}

@Managed final class Place: NSManagedObject {
  var name: String
  @Relationship(inverse: "place") var readings: OrderedToMany<Reading>
}

/// Access by name, and imports, as programs for Core Data do them.
@Suite struct `Values by name` {
  private let context: NSManagedObjectContext
  private let reading: Reading

  init() throws {
    let container = try NSPersistentContainer.inMemory(Reading.self, Place.self)
    context = container.newBackgroundContext()
    reading = Reading(context: context)
  }

  @Test func `a number is cast to any type of numbers`() throws {
    reading.count = 3
    reading.level = 4
    reading.height = 1.5
    reading.isValid = true
    reading.text = "x"
    #expect(try reading.value(forKey: "count") as? Int == 3)
    #expect(try reading.value(forKey: "count") as? Double == 3)
    #expect(try reading.value(forKey: "level") as? Int16 == 4)
    #expect(try reading.value(forKey: "height") as? Float == 1.5)
    #expect(try reading.value(forKey: "isValid") as? Bool == true)
    #expect(try reading.value(forKey: "text") as? String == "x")
    #expect(try reading.value(forKey: "weight") == nil)

    try context.save()
    var request = NSFetchRequest<Reading>(entityName: "Reading")
    request.propertiesToFetch = ["count", "height"]
    let row = try #require(try context.fetchDictionaries(request).first)
    #expect(row["count"] as? Int == 3)
    #expect(row["height"] as? Float == 1.5)
  }

  @Test func `an object takes what JSON has`() throws {
    let text =
      #"{"count": 3, "level": 4, "height": 1.5, "isValid": true, "weight": null, "text": "x"}"#
    let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let row = try #require(json as? [String: Any])
    reading.weight = 1
    try reading.setValuesForKeys(row)
    #expect(reading.count == 3 && reading.level == 4 && reading.height == 1.5 && reading.isValid)
    #expect(reading.weight == nil && reading.text == "x")
    try reading.setValue(row["absent"], forKey: "text")
    #expect(reading.text == nil)
  }

  @Test func `boxes of Foundation's are taken as what they hold`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 7)
    let key = UUID()
    try reading.setValue(NSNumber(value: 5), forKey: "count")
    try reading.setValue(NSNumber(value: 1), forKey: "isValid")
    try reading.setValue("x" as NSString, forKey: "text")
    try reading.setValue(date as NSDate, forKey: "date")
    try reading.setValue(key as NSUUID, forKey: "key")
    try reading.setValue(NSURL(string: "http://a.b"), forKey: "site")
    #expect(reading.count == 5 && reading.isValid && reading.text == "x" && reading.date == date)
    #expect(reading.key == key && reading.site?.host() == "a.b")
    let refused: [(Any, String)] = [
      (NSNumber(value: 1.5), "count"), (NSNumber(value: 70_000), "level"), ("x", "count"),
      (3, "text"), ([1], "text"), (NSObject(), "text"),
    ]
    for (value, name) in refused {
      let error = #expect(throws: PerennialError.self) {
        try reading.setValue(value, forKey: name)
      }
      #expect(error?.code == .typeMismatch)
    }
    #expect(reading.count == 5)
  }

  @Test func `an object is the value of a relationship`() throws {
    let place = Place(context: context)
    try reading.setValue(place, forKey: "place")
    #expect(reading.place === place)
    #expect(Array(place.readings) == [reading])
    try reading.setValue(nil, forKey: "place")
    #expect(reading.place == nil)
    try reading.setValuesForKeys(["place": place, "count": 2])
    #expect(reading.place === place && reading.count == 2)
    try reading.setValue(NSNull(), forKey: "place")
    #expect(reading.place == nil)
    #expect(throws: PerennialError.self) { try reading.setValue(place, forKey: "count") }
    #expect(throws: PerennialError.self) { try reading.setValue(nil, forKey: "nothing") }
  }

  @Test func `why a relationship cannot be emptied is told`() throws {
    let place = Place(context: context)
    place.name = "A"
    (reading.count, reading.level, reading.height, reading.isValid) = (1, 2, 3, true)
    reading.place = place
    try context.save()
    context.refresh(reading, mergeChanges: false)
    context.stalenessInterval = 0
    context.lazyLoading = .raiseOnLazyLoad
    let error = #expect(throws: PerennialError.self) {
      try reading.setValue(nil, forKey: "place")
    }
    #expect(error?.code == .lazyLoad)
  }

  @Test func `a batch takes what JSON has`() throws {
    let text = #"[{"count": 3, "level": 4, "height": 1, "isValid": false, "text": null}]"#
    let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let rows = try #require(json as? [[String: Any]])
    context.delete(reading)
    #expect(
      try context.execute(BatchInsertRequest(entityName: "Reading", objects: rows)).count == 1
    )
    let stored = try context.fetch(NSFetchRequest<Reading>(entityName: "Reading"))
    #expect(stored.map(\.count) == [3] && stored.map(\.height) == [1])
  }

  @Test func `a policy is named by its type`() {
    let types: [NSMergePolicyType] = [
      .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
      .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
      .rollbackMergePolicyType,
    ]
    let policies = [
      NSErrorMergePolicy, NSMergeByPropertyStoreTrumpMergePolicy,
      NSMergeByPropertyObjectTrumpMergePolicy, NSOverwriteMergePolicy, NSRollbackMergePolicy,
    ]
    #expect(types.map { NSMergePolicy(merge: $0) } == policies)
  }
}
