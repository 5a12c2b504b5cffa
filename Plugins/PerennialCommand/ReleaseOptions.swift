// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What `check-migration` was asked for: to compare with a release.
struct ReleaseOptions {
  /// The tag of the release, nil for the last one.
  private(set) var tag: String?
  /// What the program gets, too: `--json` and the like.
  private(set) var rest: [String] = []

  /// Reads a command line; nil when it names models, or asks for help: then it is the program's.
  init?(_ arguments: [String]) {
    var remaining = arguments.dropFirst()
    while let argument = remaining.popFirst() {
      if argument == "--tag" {
        tag = remaining.popFirst() ?? ""
      } else if argument.hasPrefix("--tag=") {
        tag = String(argument.dropFirst("--tag=".count))
      } else if argument == "--help" || argument == "-h" || !argument.hasPrefix("-") {
        return nil
      } else {
        rest.append(argument)
        // Its value is no model.
        if argument == "--color", let value = remaining.popFirst() { rest.append(value) }
      }
    }
  }
}
