// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension StoreBehaviour {
  /// Objects whose rows are loaded when they are needed.
  static let faultingBehaviours: [StoreBehaviour] = [
    StoreBehaviour("1C.5 faulting: a fault loads its row when it is read") { trial in
      try Crowd.save(in: trial.context())
      let context = try trial.context()
      for id in try context.fetchObjectIDs(FetchRequest<ManagedObject>(entityName: "Person")) {
        let object: ManagedObject = try context.object(with: id)
        context.refresh(object, mergeChanges: false)
        try expect(object.isFault, "The object should be a fault.")
        let name = try required(try object.text("name"), "The name")
        let member = try required(Crowd.member(name), "The member '\(name)'")
        try expectEqual(try object.integer("age"), member.age, "The age of '\(name)'")
        try expectEqual(try object.text("address.city"), member.city, "The city of '\(name)'")
      }
    },
    StoreBehaviour("1C.5 faulting: one read of a to-many relationship is one request") { trial in
      try Crowd.save(in: trial.context())
      let context = try trial.context()
      let team = try context.named("Red", "Team")
      try trial.container.assertStatements(1) {
        _ = try team.objects(forKey: "members").map { try $0.text("name") }
      }
    },
    StoreBehaviour("1C.6 prefetching: no request is made for what was prefetched") { trial in
      try Crowd.save(in: trial.context())
      let context = try trial.context()
      let request = FetchRequest<ManagedObject>(entityName: "Team").prefetching("members")
      let teams = try context.fetch(request)
      try trial.container.assertStatements(0) {
        for team in teams { _ = try team.objects(forKey: "members").map { try $0.text("name") } }
      }
    },
    StoreBehaviour("1D.5 objects by ID: one object for a row, however it is found") { trial in
      try Crowd.save(in: trial.context())
      let context = try trial.context()
      let ada = try context.named("Ada")
      try expect(try context.people("age == 36")[0] === ada, "A fetch should find the object.")
      let boss = try context.named("Bob").object(forKey: "boss")
      try expect(boss === ada, "A relationship should lead to the object.")
      let found = try context.existingObject(with: ada.objectID)
      try expect(found === ada, "The ID should lead to the object.")
    },
    StoreBehaviour("1D.5 objects by ID: an ID that was never given names nothing") { trial in
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada"])
      try context.save()
      let uri = person.objectID.uriRepresentation.absoluteString
      let wrong = uri + "999999"
      let url = try required(URL(string: wrong), "The URI")
      let id = try required(ManagedObjectID(uriRepresentation: url), "The ID")
      try expectError(.objectGone, "Looking for it") { _ = try context.existingObject(with: id) }
    },
  ]
}
