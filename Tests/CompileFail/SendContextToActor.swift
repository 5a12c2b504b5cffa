// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// An actor gives a context that belongs to it to another actor.
// expect: risks causing data races

import Perennial

actor Keeper {
  private var context: ManagedObjectContext?

  func keep(_ context: sending ManagedObjectContext) { self.context = context }
}

actor Maker {
  func make(from container: PersistentContainer, for keeper: Keeper) async {
    let context = container.newBackgroundContext()
    await keeper.keep(context)
  }
}
