// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Testing

@Suite("Object IDs and errors")
struct IdentityTests {
  @Test(arguments: [
    ("Commit", Int64(7)), ("Commit", .max), ("Commit", -3), ("Größe", 1), ("_x", -.max),
  ])
  func `1F.8 an ID survives its URI`(_ entity: String, _ key: Int64) throws {
    let id = ManagedObjectID(entityName: entity, owner: UUID(), key: key)
    #expect(ManagedObjectID(uriRepresentation: id.uriRepresentation) == id)
    #expect(id.uriRepresentation.scheme == "x-coredata")
    #expect(id.isTemporaryID == (key < 0))
    let copy = try JSONDecoder().decode(
      ManagedObjectID.self,
      from: try JSONEncoder().encode(id)
    )
    #expect(copy == id)
  }

  @Test func `IDs of an object are equal, however they were made`() {
    let store = UUID()
    let origin = ObjectIDOrigin(entityName: "Commit", owner: store)
    let ids = (1...100).map { ManagedObjectID(origin, $0) }
    let others = (1...100).map { ManagedObjectID(entityName: "Commit", owner: store, key: $0) }
    #expect(ids == others)
    #expect(ids.map(\.hashValue) == others.map(\.hashValue))
    #expect(Set(ids).union(others).count == 100)
    #expect(ids.allSatisfy { $0.entityName == "Commit" && $0.owner == store })
  }

  @Test func `IDs of other entities, stores and keys are others`() {
    let store = UUID()
    let id = ManagedObjectID(entityName: "Commit", owner: store, key: 7)
    let others = [
      ManagedObjectID(entityName: "Author", owner: store, key: 7),
      ManagedObjectID(entityName: "Commit", owner: UUID(), key: 7),
      ManagedObjectID(entityName: "Commit", owner: store, key: 8),
      ManagedObjectID(entityName: "Commit", owner: store, key: -7),
    ]
    #expect(!others.contains(id))
    #expect(Set(others + [id]).count == 5)
  }

  @Test func `1F.8 an encoded ID has its parts by name`() throws {
    let text = #"{"entityName":"Commit","key":7,"owner":"\#(Self.store)"}"#
    let id = try JSONDecoder().decode(ManagedObjectID.self, from: Data(text.utf8))
    let owner = try #require(UUID(uuidString: Self.store))
    #expect(id == ManagedObjectID(entityName: "Commit", owner: owner, key: 7))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(id), as: UTF8.self) == text)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ManagedObjectID.self, from: Data(#"{"key":7}"#.utf8))
    }
  }

  private static let store = "00000000-0000-0000-0000-000000000001"

  @Test(arguments: [
    "http://\(store)/A/p1", "x-coredata://\(store)/A", "x-coredata://\(store)/A/p1/x",
    "x-coredata://\(store)/A/p0", "x-coredata://\(store)/A/p-1", "x-coredata://\(store)/A/p+1",
    "x-coredata://\(store)/A/p", "x-coredata://\(store)/A/q1", "x-coredata://store/A/p1",
    "x-coredata://\(store)/A/p9223372036854775808", "x-coredata://\(store)//p1",
    "x-coredata:///A/t\(store)x3", "x-coredata:///A/t\(store)-0", "x-coredata:///A/t\(store)",
    "x-coredata:///A/t\(store)--3", "x-coredata:///A/tx-3", "x-coredata:///A/p1", "x-coredata:",
  ])
  func `1F.8 another text is no ID`(_ text: String) throws {
    let url = try #require(URL(string: text))
    #expect(ManagedObjectID(uriRepresentation: url) == nil)
  }

  @Test(arguments: [
    (1550, "validation"), (1570, "validation"), (1690, "validation"), (133_020, "conflict"),
    (133_021, "conflict"), (134_080, "store"), (134_180, "store"), (134_020, "model"),
    (134_100, "storeIncompatible"), (200_001, "format"), (200_002, "format"), (1691, ""),
    (200_003, ""), (133_022, ""),
  ])
  func `a pattern matches its family only`(_ number: Int, _ family: String) {
    let error = PerennialError(.init(rawValue: number), "x")
    let patterns: [(String, PerennialError.Pattern)] = [
      ("validation", PerennialError.validation), ("conflict", PerennialError.conflict),
      ("store", PerennialError.store), ("model", PerennialError.model),
      ("storeIncompatible", PerennialError.storeIncompatible), ("format", PerennialError.format),
    ]
    #expect(patterns.filter { $0.1 ~= error }.map(\.0) == (family.isEmpty ? [] : [family]))
    #expect(!(PerennialError.validation ~= CancellationError()))
  }

  @Test func `a description has message, object, code and cure`() {
    var error = PerennialError(
      .missingMandatoryProperty,
      "'Commit.sha' has no value.",
      recovery: "set 'sha'"
    )
    error.objectID = ManagedObjectID(entityName: "Commit", owner: UUID(), key: -3)
    error.problems = [PerennialError(.validation, "one"), PerennialError(.validation, "two")]
    #expect(
      error.description == """
        PerennialError.validation: 'Commit.sha' has no value.
          object: Commit/t3
          code: 1570
          fix: set 'sha'
          - one
          - two
        """
    )
  }

  @Test func `an NSError has problems and property under Core Data's keys`() throws {
    var problem = PerennialError(.missingMandatoryProperty, "'Commit.sha' has no value.")
    problem.property = "sha"
    let error = PerennialError(.multipleErrors, "2 problems.", problems: [problem, problem])
    let details = (error as NSError).userInfo["NSDetailedErrors"] as? [NSError]
    #expect(try #require(details).map(\.code) == [1570, 1570])
    #expect(details?.first?.userInfo["NSValidationErrorKey"] as? String == "sha")
    let any: Any = problem
    #expect((any as? NSError)?.code == 1570)
    #expect((problem as NSError).domain == "NSCocoaErrorDomain")
  }

  @Test func `Foundation tells message, cure and code`() {
    let error: any Error = PerennialError(
      .missingMandatoryProperty,
      "'Commit.sha' has no value.",
      recovery: "set 'sha'"
    )
    #expect(error.localizedDescription == "'Commit.sha' has no value.")
    #expect((error as? any LocalizedError)?.recoverySuggestion == "set 'sha'")
    #expect((error as? any CustomNSError)?.errorCode == 1570)
    let cureless = PerennialError(.validation, "one")
    #expect(cureless.recoverySuggestion == nil)
    #expect(PerennialError.errorDomain == "NSCocoaErrorDomain")
    #expect(cureless.errorUserInfo.keys.sorted() == ["NSLocalizedDescription"])
  }
}
