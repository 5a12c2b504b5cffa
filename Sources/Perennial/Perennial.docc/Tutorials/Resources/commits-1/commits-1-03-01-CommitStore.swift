import Perennial

/// The store of the commits.
@MainActor struct CommitStore {
  let container: PersistentContainer

  init() throws {
    container = try PersistentContainer(
      name: "Project38",
      entities: Commit.self,
      store: .sqlite(URL(filePath: "Project38.sqlite"))
    )
  }

  var context: ManagedObjectContext { container.viewContext }
}
