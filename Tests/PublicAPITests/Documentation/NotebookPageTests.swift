// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import PerennialTestKit
import Testing

// The tests at the end of the article WritingAStore, of the store that it shows.

private let notebook = StoreUnderTest("notebook", capabilities: []) { .custom { NotebookStore() } }

@Test(arguments: notebook.behaviours)
func `a notebook is a store`(_ behaviour: StoreBehaviour) async throws {
  try await behaviour.run(on: notebook)
}
