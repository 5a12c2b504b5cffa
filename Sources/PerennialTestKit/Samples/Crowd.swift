// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// A few people, chosen so that most conditions hold for some of them only.
///
/// They are plain values, so that what a condition should select can be said in plain Swift.
struct Crowd {
  struct Member {
    var name: String
    var entity = "Person"
    var age: Int?
    var score: Double?
    var isActive = true
    var born: Date?
    var note: String?
    var city: String?
    var team: String?
    var boss: String?
    var tags: [String] = []
    var salary: Decimal?
  }

  /// Whether a note has a NUL, which not every store takes.
  @TaskLocal static var hasNUL = true

  static var members: [Member] { hasNUL ? all : withoutNUL }

  private static let withoutNUL = all.map { member in
    var member = member
    member.note = member.note?.replacing("\u{0}", with: "\u{1}")
    return member
  }

  private static let all: [Member] = [
    Member(
      name: "Ada",
      age: 36,
      score: 4.5,
      born: day(0),
      note: "Fix the roof",
      city: "Rome",
      team: "Red",
      tags: ["old", "tall"]
    ),
    Member(
      name: "Bob",
      age: 20,
      score: 2,
      isActive: false,
      born: day(1),
      team: "Red",
      boss: "Ada",
      tags: ["tall"]
    ),
    Member(name: "Cy", note: "", city: "Oslo", team: "Blue", boss: "Ada"),
    Member(
      name: "D\u{E9}e",
      age: 36,
      score: -1,
      isActive: false,
      born: day(-400),
      note: "fix it",
      boss: "Bob",
      tags: ["old"]
    ),
    Member(
      name: "de\u{301}e",
      age: 0,
      score: 0,
      born: day(2),
      note: "50% off_\\",
      city: "rome",
      team: "Blue",
      tags: ["new", "old", "tall"]
    ),
    Member(
      name: "Eve",
      entity: "Employee",
      age: -5,
      score: 1e10,
      note: "a*b?c",
      boss: "Cy",
      salary: 10.5
    ),
    Member(
      name: "ada",
      entity: "Manager",
      age: 70,
      score: 4.5,
      isActive: false,
      born: day(30_000),
      note: "line\nFIX\nline",
      city: "Rome",
      team: "Green",
      boss: "ada",
      tags: ["new"],
      salary: 99
    ),
    Member(name: "", age: 9_007_199_254_740_993, note: "a\u{0}b", team: "Red"),
  ]

  /// Noon of a day, counted from the first of January 2001.
  static func day(_ number: Int) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(number) * 86_400 + 43_200)
  }

  static func member(_ name: String) -> Member? {
    members.first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// The people whose boss someone is.
  static func reports(of boss: Member) -> [Member] {
    members.filter { member in member.boss.map { $0.utf8.elementsEqual(boss.name.utf8) } ?? false }
  }

  /// Saves the people, their teams and tags.
  static func save(in context: ManagedObjectContext) throws {
    var teams: [String: ManagedObject] = [:]
    for (name, budget) in [("Red", 100), ("Blue", 250), ("Green", 0), ("Empty", nil)] {
      teams[name] = try context.make("Team", ["name": name, "budget": budget])
    }
    var tags: [String: ManagedObject] = [:]
    for name in ["old", "tall", "new", "unused"] {
      tags[name] = try context.make("Tag", ["name": name])
    }
    var people: [ManagedObject] = []
    for member in members {
      let person = try context.make(
        member.entity,
        [
          "name": member.name, "age": member.age, "score": member.score,
          "isActive": member.isActive, "born": member.born, "note": member.note,
          "address.city": member.city,
        ]
      )
      if let salary = member.salary { try person.setValue(salary, forKey: "salary") }
      try person.setObject(member.team.flatMap { teams[$0] }, forKey: "team")
      for tag in member.tags { try person.add(required(tags[tag], "The tag"), to: "tags") }
      people.append(person)
    }
    for (person, member) in zip(people, members) {
      guard let boss = member.boss else { continue }
      let place = members.firstIndex { $0.name.utf8.elementsEqual(boss.utf8) }
      try person.setObject(place.map { people[$0] }, forKey: "boss")
    }
    try context.save()
  }
}
