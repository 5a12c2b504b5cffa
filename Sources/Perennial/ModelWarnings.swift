// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore
import Synchronization

/// Notices in debug builds what is probably a mistake of a model.
enum ModelWarnings {
  /// What the process has been told.
  private static let told = Mutex<Set<String>>([])

  /// Tells, once in a process, of each group of relationships that have no inverse only because none was named.
  static func tell(_ model: ManagedObjectModel, _ log: EventLog) {
    #if DEBUG
    for names in model.ambiguousInverses {
      let message =
        "\(names.map { "'\($0)'" }.joined(separator: ", ")) have no inverse, because more than one pair "
        + "would fit; name it on one side with '@Relationship(inverse:)', or set 'infersInverse' to false."
      guard told.withLock({ $0.insert(message).inserted }) else { continue }
      log(.warning, message)
    }
    #endif
  }
}
