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
    try context.fetch(FamilyMember.sorted(by: \.name))
  }

  func member(named name: String) throws -> FamilyMember? {
    try context.first(FamilyMember.filter { $0.name == name })
  }

  func addMovie(titled title: String, to member: FamilyMember) throws {
    try context.persist {
      let movie = try context.findOrInsert(Movie.self, where: \.title, equals: title)
      member.movies.insert(movie)
    }
  }
}
