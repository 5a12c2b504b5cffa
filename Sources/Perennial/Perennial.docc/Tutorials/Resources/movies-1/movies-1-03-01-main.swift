import Perennial

let container = try PersistentContainer(
  name: "Movies",
  entities: FamilyMember.self,
  store: .sqlite(URL(filePath: "Movies.sqlite"))
)
let context = container.viewContext

let words = CommandLine.arguments.dropFirst()
let member = FamilyMember(context: context)
if let name = words.first { member.name = name }
do {
  try context.save()
  print("Saved \(member.name).")
} catch {
  context.rollback()
  print(error)
}

let count = try context.count(for: FamilyMember.all)
print("Members of the family: \(count)")
