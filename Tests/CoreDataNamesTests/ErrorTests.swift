// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialCoreDataNames
import Testing

/// What the tutorials' ways to catch an error make of one.
@Suite struct `Errors as NSError` {
  private let context: NSManagedObjectContext

  init() throws {
    let container = try NSPersistentContainer.inMemory(Commit.self, Author.self)
    context = container.newBackgroundContext()
  }

  private func code() -> Int {
    do { try context.save() } catch let error as NSError { return error.code }
    return 0
  }

  private func codeWhereMissing() -> Int {
    do {
      try context.save()
    } catch let error as NSError where error.code == NSValidationMissingMandatoryPropertyError {
      return error.code
    } catch {
      return -1
    }
    return 0
  }

  private func untypedCode() throws -> Int {
    do throws(any Error) { try context.save() } catch let error as NSError { return error.code }
    return 0
  }

  private func failure() -> NSError? {
    do {
      try context.save()
    } catch {
      return error as NSError
    }
    return nil
  }

  @Test func `a save that fails is caught as an NSError`() throws {
    #expect(code() == 0)
    Author(context: context).email = "joe@example.org"
    #expect(code() == NSValidationMissingMandatoryPropertyError)
    #expect(codeWhereMissing() == 1570)
    #expect(try untypedCode() == 1570)
    #expect(try #require(failure()).domain == NSCocoaErrorDomain)
  }

  @Test func `an NSError is no error of a save`() {
    let error: any Error = NSError(domain: NSCocoaErrorDomain, code: 1570)
    #expect(error as? PerennialError == nil)
  }

  @Test func `an NSError tells what is wrong under Core Data's keys`() throws {
    let author = Author(context: context)
    let one = try #require(failure())
    #expect(one.userInfo[NSValidationKeyErrorKey] as? String == "name")
    #expect(one.userInfo[NSDetailedErrorsKey] == nil)

    author.name = "Joe"
    _ = Commit(context: context)
    let several = try #require(failure())
    #expect(several.code == NSValidationMultipleErrorsError)
    #expect(several.userInfo[NSValidationKeyErrorKey] == nil)
    let details = try #require(several.userInfo[NSDetailedErrorsKey] as? [NSError])
    #expect(details.map(\.code) == [1570, 1570, 1570])
    let keys = details.compactMap { $0.userInfo[NSValidationKeyErrorKey] as? String }
    #expect(Set(keys) == ["sha", "message", "date"])
  }

  @Test func `an NSError has the conflicts of a save`() throws {
    for _ in 0..<2 {
      let commit = Commit(context: context)
      commit.sha = "a"
      commit.message = "Fix"
      commit.date = Date(timeIntervalSinceReferenceDate: 0)
    }
    let error = try #require(failure())
    #expect(error.code == NSManagedObjectConstraintMergeError)
    let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey]
    #expect((conflicts as? [NSConstraintConflict])?.count == 1)
  }

  /// The numbers of Apple's `CoreDataErrors.h`.
  @Test(arguments: [
    (NSValidationInvalidURIError, 1690), (NSManagedObjectExternalRelationshipError, 133_010),
    (NSPersistentStoreTimeoutError, 134_090),
    (NSPersistentStoreUnsupportedRequestTypeError, 134_091), (NSMigrationCancelledError, 134_120),
    (NSInferredMappingModelError, 134_190), (NSPersistentHistoryTokenExpiredError, 134_301),
  ])
  func `the names stand for Core Data's numbers`(name: Int, number: Int) {
    #expect(name == number)
  }
}
