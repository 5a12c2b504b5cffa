import Perennial

let store = try CommitStore()
let context = store.context
let words = Array(CommandLine.arguments.dropFirst())

switch (words.first, words.count) {
case ("import", 2):
  try store.importCommits(ServerCommit.commits(in: words[1]))
  print("Commits: \(try context.count(for: Commit.all))")

default:
  print("Say 'import FILE'.")
}
