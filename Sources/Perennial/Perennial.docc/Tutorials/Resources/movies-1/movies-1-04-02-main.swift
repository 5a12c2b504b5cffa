import Perennial

let container = try PersistentContainer(
  name: "Movies",
  entities: FamilyMember.self,
  Movie.self,
  store: .sqlite(URL(filePath: "Movies.sqlite"))
)
let context = container.viewContext

let words = CommandLine.arguments.dropFirst()
do {
  try context.persist {
    let member = FamilyMember(context: context)
    if let name = words.first { member.name = name }
  }
} catch {
  print(error)
}

let count = try context.count(for: FamilyMember.all)
print("Members of the family: \(count)")
