// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import Testing

@Managed
private final class Page: ManagedObject {
  @Indexed(.fullText) var text: String
}

@Suite("Full-text samples")
struct FullTextTests {
  @Test(arguments: StoreKind.allCases)
  func `a text is found by its parts, with an index where there is one`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try PersistentContainer(
      name: "Pages",
      entities: Page.self,
      store: kind.description(in: folder)
    )
    let context = container.newBackgroundContext()
    for text in ["A fix", "PREFIXED", "Nothing"] { Page(context: context).text = text }
    try context.save()

    let fixes = Page.filter("text CONTAINS[c] 'fix'")
    #expect(try Set(context.fetch(fixes).map(\.text)) == ["A fix", "PREFIXED"])
    let plan = try context.explain(fixes).plan
    #expect(plan.contains { $0.contains("VIRTUAL TABLE INDEX") } == (kind == .sqlite))
  }
}
