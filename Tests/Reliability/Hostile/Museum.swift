// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// The stores that are damaged, and what programs do with them.
enum Museum {
  /// A container of a store of the museum's.
  static func open(_ store: StoreDescription) throws(PerennialError) -> PersistentContainer {
    try PersistentContainer(
      name: "Museum",
      entities: Exhibit.self,
      Statue.self,
      Room.self,
      Visitor.self,
      store: store
    )
  }

  /// Fills a new store.
  static func fill(_ container: PersistentContainer) throws(PerennialError) {
    let context = container.newBackgroundContext()
    var exhibits: [Exhibit] = []
    for number in 0..<12 {
      let exhibit = number.isMultiple(of: 3) ? Statue(context: context) : Exhibit(context: context)
      exhibit.name = "Exhibit \(number)"
      exhibit.note = number.isMultiple(of: 2) ? "an ordinary note, \(number)" : nil
      exhibit.large = number * 1_000_003
      exhibit.weight = Double(number) / 7
      exhibit.price = Decimal(number) / 4
      exhibit.date = Date(timeIntervalSinceReferenceDate: Double(number) * 86_400)
      exhibit.picture = Data(repeating: UInt8(number), count: number == 5 ? 140_000 : 40)
      exhibit.identifier = UUID()
      exhibit.link = URL(string: "https://example.org/\(number)")
      exhibit.spot = Spot(hall: "A", row: number)
      exhibit.tags = ["old", "\(number)"]
      if number > 6 { exhibit.whole = exhibits[number - 6] }
      exhibits.append(exhibit)
    }
    for number in 0..<3 {
      let room = Room(context: context)
      room.title = "Room of the \(number)"
      for exhibit in exhibits where exhibit.large % 3 == number { exhibit.room = room }
      let visitor = Visitor(context: context)
      visitor.name = "Visitor \(number)"
      for exhibit in exhibits.suffix(4 + number) { visitor.likes.append(exhibit) }
    }
    try context.save()
    // Something for the history to tell.
    exhibits[0].note = "another note"
    context.delete(exhibits[11])
    try context.save()
  }

  /// Uses the properties as programs do, which cannot fail.
  static func walk(_ context: ManagedObjectContext) throws(PerennialError) {
    for exhibit in try context.fetch(FetchRequest<Exhibit>()) {
      _ = exhibit.name + (exhibit.note ?? "") + exhibit.searchName + exhibit.mood.rawValue
      _ = Int64(exhibit.small) &+ Int64(exhibit.middle) &+ Int64(exhibit.large)
      _ = exhibit.weight + Double(exhibit.height ?? 0) + (exhibit.isShown ? 1 : 0)
      _ = exhibit.price + 1
      _ = exhibit.date?.description
      _ = exhibit.picture?.count
      _ = (exhibit.identifier, exhibit.link, exhibit.spot, exhibit.tags)
      _ = exhibit.room?.title
      _ = exhibit.whole?.name
      for part in exhibit.parts { _ = part.whole === exhibit }
      for fan in exhibit.fans { _ = fan.name }
      if let statue = exhibit as? Statue { _ = (statue.material, statue.guards?.count) }
      _ = exhibit.snapshot()
      exhibit.note = "changed"
      exhibit.small &+= 1
    }
    for room in try context.fetch(FetchRequest<Room>()) {
      _ = (room.title, room.count, room.exhibits.count, room.guardian?.material)
    }
    for visitor in try context.fetch(FetchRequest<Visitor>()) {
      for exhibit in visitor.likes { _ = exhibit.name }
    }
  }
}
