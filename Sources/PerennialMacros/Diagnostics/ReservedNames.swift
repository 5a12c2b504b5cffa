// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension VariableDeclaration {
  /// Whether a managed object has a member of this name already.
  var hasReservedName: Bool { ReservedNames.ofProperties.contains(name) }
}
