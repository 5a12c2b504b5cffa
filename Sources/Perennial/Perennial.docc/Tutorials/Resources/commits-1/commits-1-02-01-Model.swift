import Perennial

@Managed final class Commit: ManagedObject {
  var sha: String
  var message: String
  var url: String
  var date: Date
}
