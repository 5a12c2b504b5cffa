// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

@Managed final class Plant: ManagedObject {
  @Unique var name: String
  var height: Double
  var bed: Bed?
}

@Managed final class Bed: ManagedObject {
  @Unique var name: String
  var plants: ToMany<Plant>
}
