import Perennial

let store: CommitStore
do {
  store = try CommitStore()
} catch {
  print(error)
  exit(1)
}
let context = store.context
let words = Array(CommandLine.arguments.dropFirst())

switch (words.first, words.count) {
case ("import", 2):
  let commits: [ServerCommit]
  if let address = URL(string: words[1]), words[1].hasPrefix("http") {
    commits = try await ServerCommit.commits(at: address)
  } else {
    commits = try ServerCommit.commits(in: words[1])
  }
  try store.importCommits(commits)
  print("Commits: \(try context.count(for: Commit.all))")

case ("list", 1...):
  var predicate: FetchPredicate?
  if words.count > 1 {
    predicate = try store.filter(named: words[1])
  }
  for commit in try store.commits(predicate) {
    print(commit.sha.prefix(7), commit.author?.name ?? "nobody", commit.message, separator: "  ")
  }

default:
  print("Say 'import FILE' or 'list'.")
}
