// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import Testing

@Suite struct `HTTP answers` {
  @Test(arguments: [
    ("", [:]),
    ("<https://a.example/x?page=2>; rel=\"next\"", ["next": "https://a.example/x?page=2"]),
    (
      "<https://a.example/1>; rel=\"first\", <https://a.example/9>; rel=\"last\"",
      ["first": "https://a.example/1", "last": "https://a.example/9"]
    ),
    ("<https://a.example/1>; title=x; rel=next", ["next": "https://a.example/1"]),
    (
      "<https://a.example/1>;rel=\"prev first\"",
      [
        "prev": "https://a.example/1", "first": "https://a.example/1",
      ]
    ),
    (
      "<https://a.example/x?ids=1,2;3&page=2>; rel=\"next\", <https://a.example/9>; rel=last",
      ["next": "https://a.example/x?ids=1,2;3&page=2", "last": "https://a.example/9"]
    ),
    (
      "<https://a.example/1>; title=\"a, b; rel=last <x>\"; rel=next",
      ["next": "https://a.example/1"]
    ),
    ("https://a.example/1; rel=next", [:]), ("<>; rel=next", [:]), (";;,,<", [:]),
  ])
  func `links are known by their relation`(field: String, links: [String: String]) {
    let answer = HTTPAnswer(status: 200, fields: ["link": field])
    #expect(answer.links.mapValues(\.absoluteString) == links)
  }

  @Test(arguments: [
    (429, [:], true), (403, ["x-ratelimit-remaining": "0"], true),
    (403, ["Retry-After": "60"], true), (403, ["x-ratelimit-remaining": "12"], false),
    (403, [:], false), (200, ["x-ratelimit-remaining": "0"], false),
  ])
  func `a rate limit is told from a refusal`(
    status: Int,
    fields: [String: String],
    isLimited: Bool
  ) {
    #expect(HTTPAnswer(status: status, fields: fields).isRateLimited == isLimited)
  }

  @Test(
    arguments: [
      (["Retry-After": "60"], 1_060.0), (["X-RateLimit-Reset": "1790000000"], 1_790_000_000),
      (["Retry-After": "5", "X-RateLimit-Reset": "1790000000"], 1_005), ([:], nil),
      (["Retry-After": "soon"], nil), (["Retry-After": "-1"], nil),
    ] as [([String: String], Double?)]
  )
  func `the end of a rate limit is found`(fields: [String: String], seconds: Double?) {
    let now = Date(timeIntervalSince1970: 1_000)
    let date = HTTPAnswer(status: 429, fields: fields).retryDate(now: now)
    #expect(date?.timeIntervalSince1970 == seconds)
  }

  @Test(arguments: [
    ("http://127.0.0.1:8080", true), ("https://git.example.org/api/v3", true),
    ("ftp://a.example", false), ("a.example", false), ("", false), ("http://", false),
    ("https://a.example?x=1", false), ("https://me@a.example", false), ("file:///etc", false),
  ])
  func `a web address has a scheme and a host, and no query`(text: String, isValid: Bool) {
    #expect((URL(webAddress: text) != nil) == isValid)
  }

  @Test(arguments: [
    ("HTTPS://Git.Example.org/API/v3/", "https://git.example.org/API/v3/"),
    ("https://git.example.org:443", "https://git.example.org"),
    ("http://git.example.org:80/api", "http://git.example.org/api"),
    ("https://git.example.org:80", "https://git.example.org:80"),
    ("http://LOCALHOST:8080", "http://localhost:8080"),
  ])
  func `a web address becomes the same however it is spelt`(text: String, address: String) {
    #expect(URL(webAddress: text)?.absoluteString == address)
  }

  @Test(arguments: [
    ("https://a.example:443/x", "HTTPS://A.example/y", true),
    ("http://a.example", "http://a.example:80", true),
    ("http://a.example:443", "https://a.example", false),
    ("https://a.example:8443", "https://a.example", false),
    ("https://a.example", "https://b.example", false),
  ])
  func `a server is known by its scheme, host and port`(
    first: String,
    second: String,
    isSame: Bool
  ) throws {
    let (one, other) = (try #require(URL(string: first)), try #require(URL(string: second)))
    #expect(one.isOnSameServer(as: other) == isSame)
    #expect(other.isOnSameServer(as: one) == isSame)
  }

  @Test(
    arguments: [
      ("2016-01-26", 1_453_766_400.0), ("2016-01-26T19:46:18Z", 1_453_837_578), ("2016-02-30", nil),
      ("2016-1-2", nil), ("yesterday", nil), ("", nil), ("2016-01-26T25:00:00Z", nil),
      ("2016-01-26T19:46:18+01:00", nil),
    ] as [(String, Double?)]
  )
  func `a date is a day or an instant in UTC`(text: String, seconds: Double?) {
    #expect(Date(iso8601: text)?.timeIntervalSince1970 == seconds)
  }

  // 19:46:18 in UTC is second 1,453,837,578.
  @Test(
    arguments: [
      ("2016-01-26", 1_453_766_400.0), ("2016-01-26T19:46:18Z", 1_453_837_578),
      ("2016-01-26T20:46:18+01:00", 1_453_837_578), ("2016-01-26T20:46:18+0100", 1_453_837_578),
      ("2016-01-26T14:16:18-05:30", 1_453_837_578), ("2016-01-27T00:46:18+05:00", 1_453_837_578),
      ("2016-01-26T19:46:18.000Z", 1_453_837_578), ("2016-01-26T19:46:18.999Z", 1_453_837_578),
      ("2016-01-26T19:46:18.5-00:00", 1_453_837_578), ("1969-12-31T23:59:59.5Z", -1),
      ("2016-01-26T19:46:18", nil), ("2016-01-26T19:46:18.Z", nil), ("2016-01-26Z", nil),
      ("2016-02-30T19:46:18.0Z", nil), ("2016-01-26T19:46:18+24:00", nil),
      ("2016-01-26T19:46:18+01:60", nil), ("2016-01-26T19:46:18+1", nil), ("", nil),
    ] as [(String, Double?)]
  )
  func `an instant may have an offset and a fraction`(text: String, seconds: Double?) {
    #expect(Date(instant: text)?.timeIntervalSince1970 == seconds)
  }
}
