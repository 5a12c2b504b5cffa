// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The program of the article GettingStarted, which prints what that says.

import Perennial

let container = try PersistentContainer(name: "Garden", entities: Plant.self, Bed.self)
let context = container.viewContext
print("There are \(try context.count(for: Plant.all)) plants.")

// Make objects, and save them: the first time only.
if try context.count(for: Bed.all) == 0 {
  let herbs = Bed(context: context)
  herbs.name = "Herbs"
  for (name, height) in [("Fennel", 40.0), ("Goutweed", 25), ("Mint", 12)] {
    let plant = Plant(context: context)
    plant.name = name
    plant.height = height
    plant.bed = herbs
  }
  try context.save()
  print("Planted \(herbs.plants.count) plants.")
}

// Fetch: all of them, the tallest first.
for plant in try context.fetch(Plant.sorted(by: \.height, .reverse)) {
  print("\(plant.name), \(plant.height) cm, in the bed '\(plant.bed?.name ?? "none")'")
}

// Fetch with a condition, change, save.
for plant in try context.fetch(Plant.filter { $0.height < 20 }) {
  plant.height += 5
}
try context.save()

// Delete.
if let weed = try context.first(Plant.filter { $0.name == "Goutweed" }) {
  context.delete(weed)
  try context.save()
  print("Pulled out the goutweed.")
}

// Two plants of one name: what the model forbids is an error.
do {
  try context.persist {
    let twin = Plant(context: context)
    twin.name = "Mint"
    twin.height = 1
  }
} catch let error as PerennialError {
  print(error.message)
}
