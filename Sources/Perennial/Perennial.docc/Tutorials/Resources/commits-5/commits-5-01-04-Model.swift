import Perennial

@Managed final class Commit: ManagedObject {
  @Unique var sha: String
  var message: String
  var url: String
  var date: Date
  var author: Author?
}

@Managed final class DeletedCommit: ManagedObject {
  @Unique var sha: String
}

@Managed final class Author: ManagedObject {
  @Indexed var name: String
  var email: String
  var commits: ToMany<Commit>
}
