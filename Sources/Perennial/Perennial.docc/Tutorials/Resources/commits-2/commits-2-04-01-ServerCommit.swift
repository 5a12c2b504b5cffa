import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A commit as the server describes it, as far as it is read.
struct ServerCommit: Decodable, Sendable {
  struct Details: Decodable, Sendable {
    struct Author: Decodable, Sendable {
      var name: String
      var email: String
    }
    struct Committer: Decodable, Sendable {
      var date: Date
    }
    var message: String
    var author: Author
    var committer: Committer
  }
  var sha: String
  var htmlUrl: String
  var commit: Details
}

extension ServerCommit {
  /// The commits in a file.
  static func commits(in file: String) throws -> [ServerCommit] {
    try commits(from: Data(contentsOf: URL(filePath: file)))
  }

  /// The commits that a server tells of.
  static func commits(at address: URL) async throws -> [ServerCommit] {
    var request = URLRequest(url: address)
    request.setValue("Project38", forHTTPHeaderField: "User-Agent")
    let (data, _) = try await URLSession.shared.data(for: request)
    return try commits(from: data)
  }

  private static func commits(from data: Data) throws -> [ServerCommit] {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode([ServerCommit].self, from: data)
  }
}
