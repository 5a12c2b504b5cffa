// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Perennial

/// People, teams and tags with made-up values: the same graph for the same seed.
///
/// ```swift
/// let graph = SampleGraph(seed: 7, people: 1000)
/// try graph.save(in: context)
/// ```
///
/// Their model is ``BehaviourModel``.
public struct SampleGraph: Sendable, Hashable {
  /// A person.
  public struct Person: Sendable, Hashable {
    /// The name, which no other person has.
    public let name: String
    /// The age; a few people have none.
    public let age: Int?
    /// The index of the team in ``SampleGraph/teams``; `nil` for no team.
    public let team: Int?
    /// The index of the boss, who comes earlier in ``SampleGraph/people``; `nil` for no boss.
    public let boss: Int?
    /// The indices of the tags in ``SampleGraph/tags``, ascending.
    public let tags: [Int]
  }

  /// The people.
  public let people: [Person]
  /// The names of the teams.
  public let teams: [String]
  /// The names of the tags.
  public let tags: [String]

  /// A graph.
  ///
  /// - Parameters:
  ///   - seed: What decides all values.
  ///   - count: How many people there are.
  public init(seed: UInt64, people count: Int) {
    var random = SeededGenerator(seed: seed)
    let teams = (0..<max(1, count / 10)).map { "Team \($0)" }
    let tags = (0..<8).map { "tag \($0)" }
    people = (0..<count).map { place in
      Person(
        name: "Person \(place)",
        age: Int.random(in: 0..<12, using: &random) == 0
          ? nil : Int.random(in: 0..<100, using: &random),
        team: Bool.random(using: &random) ? Int.random(in: teams.indices, using: &random) : nil,
        boss: place > 0 && Bool.random(using: &random)
          ? Int.random(in: 0..<place, using: &random) : nil,
        tags: tags.indices.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
      )
    }
    self.teams = teams
    self.tags = tags
  }

  /// Inserts the objects into a context and saves them.
  ///
  /// - Parameter context: A context of a container with ``BehaviourModel``.
  /// - Returns: The IDs of the people, in the order of ``people``.
  /// - Throws: The error of the save.
  @discardableResult
  public func save(in context: ManagedObjectContext) throws -> [ManagedObjectID] {
    let teams = try teams.map { try context.make("Team", ["name": $0]) }
    let tags = try tags.map { try context.make("Tag", ["name": $0]) }
    var objects: [ManagedObject] = []
    for person in people {
      let object = try context.make("Person", ["name": person.name, "age": person.age])
      try object.setObject(person.team.map { teams[$0] }, forKey: "team")
      try object.setObject(person.boss.map { objects[$0] }, forKey: "boss")
      for tag in person.tags { try object.add(tags[tag], to: "tags") }
      objects.append(object)
    }
    try context.save()
    return objects.map(\.objectID)
  }
}

/// A generator of random numbers that a seed decides (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator with a seed.
  ///
  /// - Parameter seed: Any number; the same seed gives the same numbers everywhere.
  public init(seed: UInt64) { state = seed }

  /// The next number.
  ///
  /// - Returns: 64 bits; the sequence begins again after 2⁶⁴ numbers.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
