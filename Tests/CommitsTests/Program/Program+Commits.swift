// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import ProgramTesting

extension Program {
  /// The built program `commits` in the folder that holds a repository.
  static func commits(in repository: TestRepository) -> Program {
    var environment = repository.environment
    environment["TZ"] = "Asia/Tokyo"
    return .built("commits", in: repository.root, environment: environment)
  }
}
