// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

@Managed final class Topic: ManagedObject {
  var number: Int
  var posts: ToMany<Post>
}

@Managed final class Post: ManagedObject {
  var number: Int
  var topic: Topic?
  var labels: ToMany<Label>
}

@Managed final class Label: ManagedObject {
  var number: Int
  var posts: ToMany<Post>
}

/// What the store in memory costs in a large graph, against one of a tenth of the size.
///
/// The rows are M1 (insert all posts, one save), M2 (1,000 to-many faults of 20 posts each), M3 (10,000 pairs
/// of a many-to-many relationship change, one save) and M4 (10,000 objects by their keys).
enum MemoryStoreGrowth {
  private static let repetitions = 3
  private static let (few, many) = (10_000, 100_000)
  private static let postsPerTopic = 20

  /// A row of the report: the work of M1 grows with the graph, that of the others does not.
  private static let limits = [("M1", 12.0), ("M2", 2.5), ("M3", 2.5), ("M4", 2.5)]

  static func growths() throws -> [Growth] {
    var samples = limits.map { _ in Samples(of: [.ours, .ours]) }
    for repetition in 0...repetitions {
      for (index, count) in [few, many].enumerated() {
        let times = try times(posts: count)
        guard repetition > 0 else { continue }
        for row in limits.indices { samples[row].add(times[row], to: index) }
      }
    }
    return zip(limits, samples).map { row, samples in
      Growth(
        name: row.0,
        rows: many,
        small: samples.median(of: 0),
        large: samples.median(of: 1),
        limit: row.1,
        rawFactor: nil,
        isJudged: true
      )
    }
  }

  /// The times of M1 to M4 in milliseconds.
  private static func times(posts count: Int) throws -> [Double] {
    let container = try PersistentContainer(
      name: "Memory",
      entities: Topic.self,
      Post.self,
      Label.self,
      store: .inMemory
    )
    let labels = try insertLabels(container)
    var posts: [ManagedObjectID] = []
    return [
      try milliseconds { posts = try insert(count, container) },
      try milliseconds { try fireFaults(container) },
      try milliseconds { try changePairs(posts, labels, container) },
      try milliseconds { try readKeys(posts, container) },
    ]
  }

  private static func insertLabels(_ container: PersistentContainer) throws -> [ManagedObjectID] {
    let context = container.newBackgroundContext()
    let labels = (0..<100).map { number in
      let label = Label(context: context)
      label.number = number
      return label
    }
    try context.save()
    return labels.map(\.objectID)
  }

  private static func insert(
    _ count: Int,
    _ container: PersistentContainer
  ) throws -> [ManagedObjectID] {
    let context = container.newBackgroundContext()
    var posts: [Post] = []
    var topic: Topic?
    for number in 0..<count {
      if number % postsPerTopic == 0 {
        topic = Topic(context: context)
        topic?.number = number
      }
      let post = Post(context: context)
      post.number = number
      post.topic = topic
      posts.append(post)
    }
    try context.save()
    return posts.map(\.objectID)
  }

  private static func fireFaults(_ container: PersistentContainer) throws {
    var request = Topic.all
    request.fetchLimit = 500
    for _ in 0..<2 {
      let context = container.newBackgroundContext()
      for topic in try context.fetch(request) where topic.posts.count != postsPerTopic {
        throw BenchmarkError("A to-many fault has not found all of its objects.")
      }
    }
  }

  private static func changePairs(
    _ posts: [ManagedObjectID],
    _ labels: [ManagedObjectID],
    _ container: PersistentContainer
  ) throws {
    let context = container.newBackgroundContext()
    for (index, id) in posts.prefix(10_000).enumerated() {
      guard let post = try context.existingObject(with: id) as? Post,
        let label = try context.existingObject(with: labels[index % labels.count]) as? Label
      else { throw BenchmarkError("An object is not what it was saved as.") }
      post.labels.insert(label)
    }
    try context.save()
  }

  private static func readKeys(_ posts: [ManagedObjectID], _ container: PersistentContainer) throws
  {
    let context = container.newBackgroundContext()
    let step = max(1, posts.count / 10_000)
    for index in stride(from: 0, to: posts.count, by: step) {
      guard let post = try context.existingObject(with: posts[index]) as? Post,
        post.number == index
      else { throw BenchmarkError("An object is not what it was saved as.") }
    }
  }

  private static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let elapsed = try ContinuousClock().measure(body)
    return Double(elapsed.components.seconds) * 1e3
      + Double(elapsed.components.attoseconds) / 1e15
  }
}
