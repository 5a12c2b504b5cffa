// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

@Managed final class Commit: ManagedObject {
  @Unique var sha: String
  var message: String
  var date: Date
}

let container = try PersistentContainer(name: "Project38", entities: Commit.self)
let moc = container.viewContext
try moc.persist {
  let commit = Commit(context: moc)
  commit.sha = "2f77f2fc"
  commit.message = "Fix a bug"
  commit.date = .now
}
for commit in try moc.fetch(Commit.sorted(by: \.date, .reverse).limit(20)) {
  print(commit.message)
}
