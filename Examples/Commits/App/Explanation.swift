// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Perennial

extension QueryExplanation {
  /// What the store of a context does for a request.
  init(_ request: FetchRequest<Commit>, in context: ManagedObjectContext) throws {
    let explanation = try context.explain(request)
    self.init(
      sql: explanation.sql,
      bindings: explanation.bindings,
      plan: explanation.plan,
      inMemory: explanation.inMemory
    )
  }
}
