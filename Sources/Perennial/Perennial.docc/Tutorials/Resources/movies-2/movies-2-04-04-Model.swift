import Perennial

@Managed final class FamilyMember: ManagedObject {
  @Indexed var name: String
  var movies: ToMany<Movie>
}

@Managed final class Movie: ManagedObject {
  var title: String
  var familyMembers: ToMany<FamilyMember>
}
