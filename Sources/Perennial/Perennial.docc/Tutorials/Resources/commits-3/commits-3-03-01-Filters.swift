import Perennial

extension CommitStore {
  /// The condition with a name; nil for a name that nobody knows.
  func filter(named name: String) throws -> FetchPredicate? {
    let newest = try context.first(Commit.sorted(by: \.date, .reverse))?.date ?? .now
    let twelveHoursAgo = newest.addingTimeInterval(-43_200)
    return switch name {
    case "exact": "message == 'I fixed a bug in Swift'"
    case "fixes": "message CONTAINS[c] 'fix'"
    case "own": "NOT message BEGINSWITH 'Merge pull request'"
    case "recent": FetchPredicate(format: "date > %@", twelveHoursAgo)
    default: nil
    }
  }
}
