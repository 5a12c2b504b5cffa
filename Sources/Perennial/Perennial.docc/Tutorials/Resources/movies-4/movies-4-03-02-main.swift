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
  do {
    guard let member = try family.member(named: words[1]) else {
      print("There is no \(words[1]) in the family.")
      exit(1)
    }
    let notices = Notices(context)
    try family.addMovie(titled: words[2], to: member)
    notices.stop()
    print("\(member.name) likes \(member.movies.count) of them.")
  } catch {
    print(error)
  }

case ("list", 1):
  for member in try family.members() {
    print(member.name)
    for movie in member.movies.sorted(by: { $0.title < $1.title }) {
      print("  \(movie.title) \(movie.popularity.map { "\($0)" } ?? "…")")
    }
  }

case ("faults", 1):
  let members = try family.members()
  let start = container.counters
  for member in members {
    let wasFault = member.isFault
    let name = member.name
    let statements = (container.counters - start).statements
    print(name, wasFault, member.isFault, "statements: \(statements)")
  }

case ("find", 2):
  print(try family.members(nameContains: words[1]).map(\.name))

case ("shared", 3):
  print(try family.members(liking: words[2], exceptFor: words[1]).map(\.name))

case ("rate", 1):
  let movies = try context.results(
    Movie.sorted(by: \.popularity, .reverse).sorted(by: \.title)
  )
  print("Movies: \(movies.fetchedObjects?.count ?? 0)")
  let unknown = try context.fetchObjectIDs(
    Movie.filter { $0.popularity == nil }.sorted(by: \.title)
  )
  let updater = PopularityUpdater(container)
  var changes = movies.changes.makeAsyncIterator()
  _ = await changes.next()
  for id in unknown {
    try await updater.update(id)
    guard let change = await changes.next() else { break }
    for event in change.events {
      let title = try context.object(Movie.self, with: id).title
      switch event {
      case .move(_, let old, let new): print("row \(old.row) -> row \(new.row): \(title)")
      case .update(_, _, let new): print("row \(new.row) again: \(title)")
      default: break
      }
    }
  }

case ("rehearse", 1):
  let list = try FamilyList(context)
  list.printRows()
  try family.addMember(named: "Kim")
  if let kim = try family.member(named: "Kim") {
    try family.rename(kim, to: "Ada")
    try family.addMovie(titled: "Brave", to: kim)
    try family.remove(kim)
  }
  list.printRows()

default:
  print("Say 'family', 'add', 'list', 'faults', 'find', 'shared', 'rehearse' or 'rate'.")
}
