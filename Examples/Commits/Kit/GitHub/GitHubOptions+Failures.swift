// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation

// Every text about what GitHub, or a server that should be like it, answers.
extension GitHubOptions {
  private var server: String { baseURL.shownServer }

  func failure(of answer: HTTPAnswer, zone: TimeZone) -> CommandFailure {
    if answer.isRateLimited {
      let advice = token == nil ? "With a token it allows more: '--token-env NAME'." : ""
      return .rateLimit(server, until: answer.retryDate(), zone: zone, advice: advice)
    }
    switch answer.status {
    case 401:
      return CommandFailure(
        "'\(server)' does not accept the token",
        advice: "Make a new one, and put it into the environment variable."
      )
    case 404:
      return CommandFailure(
        "'\(server)' has no repository '\(repository.name)', or does not show it to everybody",
        advice: token == nil
          ? "Check the name; for a private repository give a token with '--token-env NAME'."
          : "Check the name and what the token allows."
      )
    case 300..<400:
      return CommandFailure(
        "'\(server)' sends to another address",
        advice: "Give that address with '--base-url URL'."
      )
    case 500...:
      return CommandFailure(
        "'\(server)' has a problem of its own (status \(answer.status))",
        advice: "Try again later.",
        status: .tryLater
      )
    default:
      return CommandFailure(
        "'\(server)' refuses the request (status \(answer.status))\(explanation(in: answer))",
        advice: "Check '--github', '--base-url' and what the token allows."
      )
    }
  }

  var noCommits: CommandFailure {
    CommandFailure(
      "the answer of '\(server)' is not a list of commits",
      advice: "Check '--base-url'; the address must be that of GitHub's REST API."
    )
  }

  var endlessPages: CommandFailure {
    CommandFailure(
      "the pages of '\(server)' have no end",
      advice: "Check '--base-url'; the address must be that of GitHub's REST API."
    )
  }

  func foreignPage(_ url: URL) -> CommandFailure {
    CommandFailure(
      "the next page of '\(server)' is on another server, '\(url.shownServer)'",
      advice: "Check '--base-url'."
    )
  }

  /// What the server says itself, in parts that may be shown.
  private func explanation(in answer: HTTPAnswer) -> String {
    struct Explanation: Decodable { var message: String }
    guard let said = try? JSONDecoder().decode(Explanation.self, from: answer.body) else {
      return ""
    }
    return ": \(said.message.escapedForTerminal.truncated(toWidth: 200))"
  }
}
