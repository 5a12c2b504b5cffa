// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import Testing

@Managed final class Borrower: ManagedObject {
  @Unique var email: String
  var loans: ToMany<Loan>
}

@Managed final class Loan: ManagedObject {
  @Unique var number: Int
  var title: String = ""
  var weeks: Int = 4
  var borrower: Borrower?
}

/// Batch requests as an application uses them.
@Suite("Samples: batch requests")
struct BatchSampleTests {
  @Test(arguments: StoreKind.allCases)
  func `1H.1 an application imports, changes and deletes many rows`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try PersistentContainer(
      name: "Library",
      entities: Borrower.self,
      Loan.self,
      store: kind.description(in: folder)
    )
    let context = container.newBackgroundContext()
    context.mergePolicy = .mergeByPropertyObjectTrump
    let borrowers: [[String: (any Sendable)?]] = [["email": "ann@example.org"]]
    try context.execute(BatchInsertRequest(entityName: "Borrower", objects: borrowers))
    let loans: [[String: (any Sendable)?]] = (1...3).map { (number: Int) in
      ["number": number, "title": "Volume \(number)", "borrower": "ann@example.org"]
    }
    #expect(try context.execute(BatchInsertRequest(entityName: "Loan", objects: loans)).count == 3)

    var longer = BatchUpdateRequest(Loan.self, where: "number > 1")
    longer.expressionsToUpdate = [ExpressionDescription("weeks", format: "weeks * 2")]
    longer.set(\Loan.title, to: "extended")
    try context.execute(longer)
    let found = try context.fetch(Loan.all.sorted(by: \.number))
    #expect(found.map(\.weeks) == [4, 8, 8] && found[2].title == "extended")
    #expect(found.allSatisfy { $0.borrower?.email == "ann@example.org" })

    try context.execute(BatchDeleteRequest(Loan.filter("weeks == 8")))
    #expect(found.map(\.isDeleted) == [false, true, true])
    #expect(try context.count(for: Loan.all) == 1)
  }
}
