// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1M.1: what led to an object that others have deleted")
struct GoneObjectTests {
  @Test(arguments: StoreKind.allCases)
  func `1M.1 new pairs with an object that turns out to be gone are dropped, on both sides`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .mergeByPropertyStoreTrump)
    let skill = try office.second.make("Skill")
    let club = try office.second.make("Club")
    try office.second.save()
    try office.ours.set(["name": "B"])
    try office.ours.objects(forKey: "skills").insert(skill)
    try club.objects(forKey: "members").insert(office.ours)
    office.first.delete(office.theirs)
    try office.first.save()
    try office.second.save()
    #expect(!office.second.hasChanges && office.ours.isGone)
    #expect(try skill.ids("owners").isEmpty && club.ids("members").isEmpty)
    #expect(try office.all("Skill").first?.ids("owners").isEmpty == true)
    #expect(try office.all("Club").first?.ids("members").isEmpty == true)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 an object that moved here and turns out to be gone is in neither place`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .mergeByPropertyStoreTrump)
    let departments = try ["x", "y"].map { try office.second.make("Department", ["title": $0]) }
    try office.ours.link("department", departments[0])
    try office.second.save()
    #expect(try departments[0].ids("staff") == [office.ours.objectID])
    try office.ours.link("department", departments[1])
    office.first.delete(try office.first.existingObject(with: office.theirs.objectID))
    office.first.mergePolicy = .overwrite
    try office.first.save()
    try office.second.save()
    #expect(office.ours.isGone && !office.second.hasChanges)
    for department in departments {
      #expect(try department.ids("staff").isEmpty)
      #expect(try department.objects(forKey: "staff").count == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 of several objects that turn out to be gone none is referred to any more`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .mergeByPropertyStoreTrump)
    let others = try ["b", "c", "d"].map { try office.second.make("Employee", ["badge": $0]) }
    let stays = try office.second.make("Employee", ["badge": "e"])
    try office.second.save()
    let all = others + [office.ours, stays]
    var awards: [ManagedObject] = []
    for employee in all + all {
      try employee.set(["name": "changed"])
      let award = try office.second.make("Award")
      try award.link("winner", employee)
      awards.append(award)
    }
    for gone in others + [office.ours] {
      office.first.delete(try office.first.existingObject(with: gone.objectID))
    }
    office.first.mergePolicy = .overwrite
    try office.first.save()
    try office.second.save()
    #expect(!office.second.hasChanges && office.ours.isGone)
    let winners = try awards.map { try $0.target("winner")?.objectID }
    let expected: [ManagedObjectID?] = [nil, nil, nil, nil, stays.objectID]
    #expect(winners == expected + expected)
    let stored = try office.all("Award").compactMap { try $0.target("winner") }
    #expect(stored.count == 2)
  }
}
