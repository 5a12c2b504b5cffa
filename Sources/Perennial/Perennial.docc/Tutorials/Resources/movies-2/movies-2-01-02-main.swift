import Perennial

let container = try PersistentContainer(
  name: "Movies",
  entities: FamilyMember.self,
  Movie.self,
  store: .sqlite(URL(filePath: "Movies.sqlite"))
)
let context = container.viewContext
let family = Family(context: context)
let words = Array(CommandLine.arguments.dropFirst())

switch (words.first, words.count) {
case ("family", 2):
  try family.addMember(named: words[1])

case ("add", 3):
  guard let member = try family.member(named: words[1]) else {
    print("There is no \(words[1]) in the family.")
    exit(1)
  }
  try family.addMovie(titled: words[2], to: member)
  print("\(member.name) likes \(member.movies.count) of them.")

case ("list", 1):
  for member in try family.members() {
    let titles = member.movies.map(\.title).sorted()
    print("\(member.name) likes \(titles)")
  }

default:
  print("Say 'family NAME', 'add NAME TITLE' or 'list'.")
}
