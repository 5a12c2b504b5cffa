import Perennial

let store = try CommitStore()
let context = store.context
let words = Array(CommandLine.arguments.dropFirst())

if words.first == "add" {
  let commit = Commit(context: context)
  commit.sha = "0000000000000000000000000000000000000000"
  commit.message = "A first try"
  commit.url = ""
  commit.date = .now
}
try store.saveContext()
print("Commits: \(try context.count(for: Commit.all))")
