// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1G: the order of equal rows")
struct EqualRowsTests {
  private static let sizes: [Double?] = [nil, 0, -1, 2.5, 0, nil, 2.5, 2.5, -1, nil, 0]

  /// The places of the sizes in their order, equal ones in the order of insertion, or all turned round.
  private static func places(ascending: Bool) -> [Int] {
    let rising = sizes.indices.sorted {
      let (left, right) = (sizes[$0] ?? -.infinity, sizes[$1] ?? -.infinity)
      return left == right ? $0 < $1 : left < right
    }
    return ascending ? rising : rising.reversed()
  }

  private func insert(_ range: Range<Int>, in context: ManagedObjectContext) {
    for number in range {
      let commit = Commit(context: context)
      commit.sha = "\(number)"
      commit.size = Self.sizes[number]
    }
  }

  @Test(arguments: StoreKind.allCases, [true, false])
  func `equal rows are in the order of their insertion, which falls where the last sort falls`(
    _ kind: StoreKind,
    _ ascending: Bool
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    insert(Self.sizes.indices, in: context)
    try context.save()
    let reader = bench.context()
    let request = Commit.all.sorted(by: FetchSort("size", ascending: ascending))
    let expected = Self.places(ascending: ascending).map { "\($0)" }
    #expect(try reader.fetch(request).map(\.sha) == expected)
    #expect(try reader.fetch(request, batchSize: 4).map(\.sha) == expected)
    #expect(try reader.fetch(request.offset(2).limit(5)).map(\.sha) == Array(expected[2..<7]))
  }

  @Test(arguments: StoreKind.allCases, [true, false])
  func `changed and new objects stand where they will stand when they are saved`(
    _ kind: StoreKind,
    _ ascending: Bool
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    insert(0..<7, in: context)
    try context.save()
    for commit in try context.fetch(Commit.filter("sha IN {'2', '3', '5'}")) {
      commit.message = "edited"
    }
    insert(7..<Self.sizes.count, in: context)
    let request = Commit.all.sorted(by: FetchSort("size", ascending: ascending))
    let expected = Self.places(ascending: ascending).map { "\($0)" }
    #expect(try context.fetch(request).map(\.sha) == expected)
    #expect(try context.fetch(request, batchSize: 4).map(\.sha) == expected)
    try context.save()
    #expect(try context.fetch(request).map(\.sha) == expected)
  }

  /// Checks that every window of a request is that of its whole list, as objects and as identities, and so is its
  /// count.
  private func expectWindows<Object: ManagedEntity>(
    of request: FetchRequest<Object>,
    in context: ManagedObjectContext,
    atLeast least: Int
  ) throws {
    let whole = try context.fetch(request)
    #expect(whole.count >= least)
    #expect(try context.count(for: request) == whole.count)
    for offset in 0...whole.count + 1 {
      for limit in 0...whole.count + 1 {
        let rest = whole.dropFirst(offset)
        let expected = Array(limit > 0 ? rest.prefix(limit) : rest)
        let window = request.offset(offset).limit(limit)
        #expect(try context.fetch(window) == expected, "\(offset), \(limit)")
        #expect(try context.count(for: window) == expected.count, "\(offset), \(limit)")
        let list = try context.fetch(window, batchSize: 3)
        #expect(Array(list) == expected, "\(offset), \(limit)")
        let ids = try context.fetchObjectIDs(window)
        #expect(ids == expected.map(\.objectID), "\(offset), \(limit)")
      }
    }
  }

  @Test(arguments: StoreKind.allCases, [true, false])
  func `a window is that of the whole list, and so is its count, whatever is unsaved`(
    _ kind: StoreKind,
    _ ascending: Bool
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    insert(0..<9, in: context)
    try context.save()
    let known = try context.fetch(Commit.all)
    for commit in known {
      switch commit.sha {
      case "1", "6": commit.size = nil
      case "3": commit.size = 9
      case "5": commit.message = "edited"
      case "2": context.delete(commit)
      default: break
      }
    }
    insert(9..<Self.sizes.count, in: context)
    // Others change what is edited, deleted and known here, and what they make is not known.
    let other = bench.context()
    for commit in try other.fetch(Commit.filter("sha IN {'0', '1', '2', '3', '8'}")) {
      commit.size = 1
    }
    other.delete(try #require(try other.first(Commit.filter("sha == '7'"))))
    _ = other.insertCommit("other")
    try other.save()
    let conditions: [FetchPredicate] = [
      "#size != nil", "#size >= 0", "TRUEPREDICATE", "author == nil",
    ]
    for condition in conditions {
      let request = Commit.filter(condition).sorted(by: FetchSort("size", ascending: ascending))
      try expectWindows(of: request, in: context, atLeast: 4)
    }
    #expect(known.count == 9)
  }

  @Test(arguments: StoreKind.allCases)
  func `windows and counts with unsaved changes are of the entities that are asked for`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let badges = (0..<6).map { (number: Int) -> Badge in
      let badge: Badge = number % 2 == 0 ? Badge(context: context) : GoldBadge(context: context)
      badge.text = "\(number)"
      return badge
    }
    try context.save()
    context.delete(badges[1])
    badges[4].text = "0"
    badges[5].text = "9"
    GoldBadge(context: context).text = "3"
    for includesSubentities in [true, false] {
      var request = Badge.all.sorted(by: FetchSort("text"))
      request.includesSubentities = includesSubentities
      try expectWindows(of: request, in: context, atLeast: includesSubentities ? 6 : 3)
    }
    let child = ManagedObjectContext(parent: context)
    child.delete(try #require(try child.first(Badge.filter("text == '2'"))))
    GoldBadge(context: child).text = "1"
    try expectWindows(of: Badge.all.sorted(by: FetchSort("text")), in: child, atLeast: 6)
  }
}
