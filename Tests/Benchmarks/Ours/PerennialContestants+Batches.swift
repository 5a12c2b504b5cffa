// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// W10: a list of all commits that loads rows as they are shown.

extension PerennialContestants {
  /// Empty until fetches in batches are built.
  static var batched: [Contestant] { [] }
}
