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

default:
  print("Say 'import FILE'.")
}
