// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// A sheet in which a commit is edited: its changes go to the list's context, or nowhere.
private struct EditingSheet {
  let draft: Commit
  private let context: ManagedObjectContext

  init(editing commit: Commit, of list: ManagedObjectContext) throws {
    context = ManagedObjectContext(parent: list)
    draft = try context.object(with: commit.objectID)
  }

  func save() throws { try context.save() }
}

/// The sample of a child context, over both stores.
@Suite("Editing sheet sample")
struct EditingSheetTests {
  @Test(arguments: StoreKind.allCases)
  func `a sheet is saved or cancelled`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    let list = store.container.newBackgroundContext()
    let commit = Commit(context: list)
    commit.sha = "2f77f2fc"
    commit.message = "Fix a bug"
    commit.date = .now
    try list.save()

    let cancelled = try EditingSheet(editing: commit, of: list)
    cancelled.draft.message = "Fix a bgu"
    #expect(commit.message == "Fix a bug")
    #expect(!list.hasChanges)

    let sheet = try EditingSheet(editing: commit, of: list)
    sheet.draft.message = "Fix two bugs"
    try sheet.save()
    #expect(commit.message == "Fix two bugs")
    #expect(list.hasChanges)
    try list.save()
    #expect(sheet.draft.objectID == commit.objectID)
  }
}
