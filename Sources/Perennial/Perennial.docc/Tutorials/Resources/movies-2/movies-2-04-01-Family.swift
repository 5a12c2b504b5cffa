import Perennial

/// What can be done with the family.
@MainActor struct Family {
  let context: ManagedObjectContext

  func addMember(named name: String) throws {
    try context.persist {
      let member = FamilyMember(context: context)
      member.name = name
    }
  }

  func members() throws -> [FamilyMember] {
    try context.fetch(FamilyMember.sorted(by: \.name).batchSize(2))
  }

  func member(named name: String) throws -> FamilyMember? {
    try context.first(FamilyMember.filter { $0.name == name }.requireIndex())
  }

  func members(nameContains part: String) throws -> [FamilyMember] {
    let request = FamilyMember.filter(format: "name CONTAINS[n] %@", part)
    return try context.fetch(request.sorted(by: \.name))
  }

  func members(liking title: String, exceptFor name: String) throws -> [FamilyMember] {
    let request = FamilyMember.filter { member in
      member.movies.any { $0.title == title } && !(member.name == name)
    }
    return try context.fetch(request.sorted(by: \.name))
  }

  func addMovie(titled title: String, to member: FamilyMember) throws {
    try context.persist {
      let movie = try context.findOrInsert(Movie.self, where: \.title, equals: title)
      member.movies.insert(movie)
    }
  }
}
