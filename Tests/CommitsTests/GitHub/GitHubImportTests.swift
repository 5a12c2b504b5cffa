// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import ProgramTesting
import Testing

@Suite struct `Imports from GitHub` {
  let home: GitHubHome

  init() throws {
    home = try GitHubHome()
  }

  @Test func `GitHub's own answer is read in full`() async throws {
    let page = try GitHubHome.fixture("github-page")
    home.served.change { $0.answers[1] = LoopbackAnswer(body: page) }
    #expect(try await home.counts() == [50, 50, 0])

    let objects = try #require(try JSONSerialization.jsonObject(with: page) as? [[String: Any]])
    let listed = try await home.listed()
    #expect(listed.count == 50)
    for object in objects {
      let details = try #require(object["commit"] as? [String: Any])
      let commit = try #require(listed.first { $0.sha == object["sha"] as? String })
      #expect(commit.message == details["message"] as? String)
      #expect(commit.url == object["html_url"] as? String)
      #expect(commit.author == (details["author"] as? [String: Any])?["name"] as? String)
      #expect(commit.date == (details["committer"] as? [String: Any])?["date"] as? String)
    }
  }

  @Test func `all pages are read, a hundred commits at a time, with the program's name`()
    async throws
  {
    home.served.change { $0.commits = ServedCommit.all(1...250) }
    #expect(try await home.counts() == [250, 250, 0])
    #expect(home.pages() == ["1", "2", "3"])
    for request in home.server.requests {
      #expect(request[query: "per_page"] == "100")
      #expect(request.headers["user-agent"]?.isEmpty == false)
      #expect(request.headers["accept"] == "application/vnd.github+json")
    }
    #expect(try await home.listed().map(\.sha) == (1...250).reversed().map(ServedCommit.sha))
  }

  @Test func `a second import asks whether the first page has changed, and reads nothing`()
    async throws
  {
    home.served.change { $0.commits = ServedCommit.all(1...150) }
    _ = try await home.counts()
    let result = try await home.importing()
    #expect(result.status == 0)
    #expect(result.errors == "Nothing has changed since the last import.\n")
    #expect(try result.decoded(as: PrintedSummary.self).counts == [0, 0, 0])
    #expect(home.pages() == ["1", "2", "1"])
    #expect(home.server.requests.last?.headers["if-none-match"]?.hasPrefix("W/") == true)
  }

  @Test func `pages are read until one holds only known commits`() async throws {
    home.served.change { $0.commits = ServedCommit.all(1...400) }
    _ = try await home.counts()
    home.served.change { $0.commits = ServedCommit.all(1...403) }
    #expect(try await home.counts() == [200, 3, 0])
    #expect(home.pages() == ["1", "2", "3", "4", "1", "2"])
    #expect(try await home.listed().count == 403)
  }

  @Test func `a commit that was merged later with an older date is found`() async throws {
    home.served.change { $0.commits = ServedCommit.all(1...120) }
    _ = try await home.counts()
    var late = ServedCommit(number: 777)
    late.committer = #"{"name": "x", "email": "", "date": "2001-01-01T00:00:00Z"}"#
    home.served.change { [late] in
      $0.commits.insert(late.json, at: 40)
      $0.commits.insert(ServedCommit(number: 121).json, at: 0)
    }
    #expect(try await home.counts() == [122, 2, 0])
    #expect(try await home.listed().last?.sha == late.sha)
  }

  @Test func `a deleted commit stays deleted`() async throws {
    home.served.change { $0.commits = ServedCommit.all(1...3) }
    _ = try await home.counts()
    let deleted = try await home.program.run(
      "delete",
      ServedCommit.sha(2),
      "--store-path",
      "store"
    )
    #expect(deleted.status == 0)
    home.served.change { $0.commits = ServedCommit.all(1...4) }
    let result = try await home.importing()
    #expect(result.errors == "1 deleted commit left out\n")
    #expect(try await home.listed().map(\.sha) == [4, 3, 1].map(ServedCommit.sha))
  }

  @Test func `persons may be null and texts may be empty`() async throws {
    var nobody = ServedCommit(number: 2, message: "")
    nobody.author = "null"
    nobody.committer = "null"
    var nameless = ServedCommit(number: 1, message: "two\\nlines\\n\\n")
    nameless.author = #"{"name": "", "email": "", "date": null}"#
    home.served.change { [nobody, nameless] in $0.commits = [nobody.json, nameless.json] }
    #expect(try await home.counts() == [2, 2, 0])
    let listed = try await home.listed()
    #expect(listed.map(\.author) == [nil, nil])
    #expect(listed.map(\.message) == ["two\nlines", ""])
    #expect(listed.last?.date == "1970-01-01T00:00:00Z")
  }

  @Test func `an import since a date does not stand in for a whole one`() async throws {
    home.served.change { $0.commits = ServedCommit.all(1...120) }
    #expect(try await home.counts("--since", "2014-05-01") == [120, 120, 0])
    #expect(home.server.requests.allSatisfy { $0[query: "since"] == "2014-05-01T00:00:00Z" })
    // Older commits, which the server did not show before, are behind pages of known ones.
    home.served.change { $0.commits += ServedCommit.all(500...530) }
    #expect(try await home.counts() == [151, 31, 0])
    #expect(try await home.counts("--since", "2015-01-01")[1] == 0)
    #expect(home.pages() == ["1", "2", "1", "2", "1"])
  }

  @Test func `an import since a date that meets no known commit leaves no gap`() async throws {
    home.served.change { $0.commits = ServedCommit.all(1...50) }
    #expect(try await home.counts() == [50, 50, 0])
    home.served.change { $0.commits = ServedCommit.all(251...400) }
    #expect(try await home.counts("--since", "2014-05-13T21:00:00Z") == [150, 150, 0])
    // The newest page is known, and commits 51 to 250 are not.
    home.served.change { $0.commits = ServedCommit.all(1...400) }
    #expect(try await home.counts() == [400, 200, 0])
    // One that meets known commits, or finds none, leaves the whole import what it is.
    home.served.change { $0.commits = ServedCommit.all(350...401) }
    #expect(try await home.counts("--since", "2014-05-13T22:00:00Z") == [52, 1, 0])
    home.served.change { $0.commits = [] }
    #expect(try await home.counts("--since", "2015-01-01") == [0, 0, 0])
    home.served.change { $0.commits = ServedCommit.all(1...401) }
    #expect(try await home.counts() == [100, 0, 0])
  }

  @Test func `dates may have an offset or a fraction`() async throws {
    var offset = ServedCommit(number: 2)
    offset.committer = #"{"date": "2016-01-26T20:46:18+01:00"}"#
    var fraction = ServedCommit(number: 1)
    fraction.committer = #"{"date": "2016-01-26T19:46:17.500Z"}"#
    home.served.change { [offset, fraction] in $0.commits = [offset.json, fraction.json] }
    #expect(try await home.counts() == [2, 2, 0])
    let listed = try await home.listed()
    #expect(listed.map(\.date) == ["2016-01-26T19:46:18Z", "2016-01-26T19:46:17Z"])
  }

  @Test func `a date that cannot be read is an error`() async throws {
    var damaged = ServedCommit(number: 1)
    damaged.committer = #"{"date": "26 January 2016"}"#
    home.served.change { [damaged] in $0.commits = [damaged.json] }
    let result = try await home.importing()
    #expect(result.status == 1)
    #expect(result.errors.contains("is not a list of commits"))
    #expect(!home.hasStore)
  }

  @Test func `a repository without commits is imported`() async throws {
    home.served.change {
      $0.answers[1] = LoopbackAnswer(409, text: #"{"message": "Git Repository is empty."}"#)
    }
    #expect(try await home.counts() == [0, 0, 0])
  }

  @Test func `a checkout and GitHub give the same commits`() async throws {
    try home.repository.add((1...5).map { TestCommit("commit \($0)") })
    let log = try LoggedCommit.all(in: home.repository)
    let local = try await home.program.run("import", "repository", "--store-path", "store")
    #expect(local.status == 0)
    home.served.change {
      $0.commits = log.map { commit in
        """
        {"sha": "\(commit.sha)", "html_url": "https://git.example.org/c/\(commit.sha)", "commit":
         {"message": "\(commit.message)", "author": {"name": "\(commit.author ?? "")",
          "email": "\(commit.email)"}, "committer": {"date": "\(commit.utcDate)"}}}
        """
      }
    }
    #expect(try await home.counts() == [5, 0, 5])
    #expect(
      try await home.listed().map(\.url).allSatisfy { $0.hasPrefix("https://git.example.org/c/") }
    )
  }
}
