import Perennial

@Managed final class FamilyMember: ManagedObject {
  var name: String
}
