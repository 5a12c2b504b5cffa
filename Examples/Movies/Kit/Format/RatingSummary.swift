// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console

/// What `rate` did.
public struct RatingSummary: Sendable, Hashable {
  /// How many movies are asked for.
  public var total: Int
  /// The movies whose popularity was found and saved.
  public var rated = 0
  /// The movies that TMDB does not know.
  public var unknown = 0
  /// The movies that could not be looked up.
  public var failed = 0
  /// Why the first of them could not.
  public var failure: CommandFailure?
  /// Whether asking on makes no sense.
  public var isOver = false
  private var failuresInSuccession = 0
  /// How many failures in succession end the work: then the server is not there.
  private static let patience = 5

  /// The summary before the first answer.
  public init(total: Int) { self.total = total }

  /// Counts the end of a lookup.
  public mutating func note(_ outcome: LookupOutcome) {
    switch outcome {
    case .found: rated += 1
    case .unknown: unknown += 1
    case .failed(let reason, let endsWork):
      failed += 1
      failuresInSuccession += 1
      failure = failure ?? reason
      isOver = isOver || endsWork || failuresInSuccession == Self.patience
      return
    }
    failuresInSuccession = 0
  }

  /// How many movies are done.
  public var done: Int { rated + unknown + failed }

  /// One line for people: `11 movies rated, 1 not found`.
  public var line: String {
    var parts = ["\(rated.counted("movie")) rated"]
    if unknown > 0 { parts.append("\(unknown.grouped) not found") }
    if total > rated + unknown { parts.append("\((total - rated - unknown).grouped) left") }
    return parts.joined(separator: ", ")
  }

  /// The members total, rated, unknown and failed.
  public var json: JSONValue {
    [
      "total": .integer(total), "rated": .integer(rated), "unknown": .integer(unknown),
      "failed": .integer(total - rated - unknown),
    ]
  }

  /// A bar with the share that is done: `[#####-----]  6/12`.
  public var progress: String {
    let width = 30
    let filled = total == 0 ? width : width * done / total
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
    return "[\(bar)]  \(done.grouped)/\(total.grouped)"
  }
}
