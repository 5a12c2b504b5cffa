// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// How a store keeps history.
package struct HistoryOptions: Sendable {
  /// Whether a store that has no history begins one; a store that has one goes on with it anyway.
  package var isOn: Bool
  /// Whether it keeps the values that updates and deletions replace.
  package var keepsOldValues: Bool

  package init(isOn: Bool = false, keepsOldValues: Bool = false) {
    self.isOn = isOn || keepsOldValues
    self.keepsOldValues = keepsOldValues
  }
}

/// Who saves, as history names them: the same for all saves of a process.
package enum HistoryProcess {
  package static let name = ProcessInfo.processInfo.processName
  package static let bundleIdentifier = Bundle.main.bundleIdentifier ?? name
}

extension ChangeSet {
  /// Who saves, as the context says.
  package struct Author: Sendable {
    package var name: String?
    package var contextName: String?

    package init(name: String? = nil, contextName: String? = nil) {
      self.name = name
      self.contextName = contextName
    }
  }
}
