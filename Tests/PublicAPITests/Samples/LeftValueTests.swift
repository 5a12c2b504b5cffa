// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// What a type cannot decode reads as its default, with a context and without one.
@Suite("Values of objects that have left their context")
struct LeftValueTests {
  @Test(arguments: StoreKind.allCases)
  func `what cannot be decoded reads as its default after a reset, too`(
    _ kind: StoreKind
  ) throws {
    let folder = try TemporaryFolder()
    let container = try PersistentContainer(
      name: "Profiles",
      entities: SecondProfile.self,
      store: kind.description(in: folder)
    )
    let writer = container.newBackgroundContext()
    let written = SecondProfile(context: writer)
    written.name = "Ada"
    try written.setValue("never", forKey: "day")
    try written.setValue(Data("[1]".utf8), forKey: "settings")
    try writer.save()
    let context = container.newBackgroundContext()
    let read = try #require(try context.first(SecondProfile.all))
    #expect(read.day == .mon && read.settings == ProfileVersion.Second())
    context.reset()
    writer.reset()
    for profile in [read, written] {
      #expect(profile.managedObjectContext == nil && profile.name == "Ada")
      #expect(profile.day == .mon)
      #expect(profile.settings == ProfileVersion.Second())
    }
  }
}
