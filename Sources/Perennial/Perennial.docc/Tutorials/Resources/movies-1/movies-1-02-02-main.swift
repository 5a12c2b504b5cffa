import Perennial

let container = try PersistentContainer(
  name: "Movies",
  entities: FamilyMember.self,
  store: .sqlite(URL(filePath: "Movies.sqlite"))
)
let context = container.viewContext
