// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

/// An entity with more attributes than a word has bits.
@Suite("SEMANTICS 1B.1: validation of entities with many attributes")
struct WideEntityTests {
  private static let count = 70
  private let names = (0..<Self.count).map { "value\($0)" }

  private func object(_ bench: Bench) throws -> (ManagedObjectContext, ManagedObject) {
    let context = bench.context()
    let wide = try context.make("Wide")
    for name in names { try wide.setValue(1.0, forKey: name) }
    return (context, wide)
  }

  private func bench(_ kind: StoreKind) throws -> Bench {
    let model = try ManagedObjectModel(
      EntityDescription("Wide", properties: names.map { .attribute($0, .double) })
    )
    return try Bench(kind, model: model, classes: [])
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.1 any of 70 required numbers is missed, or found to be none`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let (context, wide) = try object(bench)
    for name in [names[0], names[63], names[64], names[69]] {
      try wide.setValue(nil, forKey: name)
      let missing = try failure { try context.save() }
      #expect(missing.code == .missingMandatoryProperty && missing.property == name)
      try wide.setValue(Double.nan, forKey: name)
      let wrong = try failure { try context.save() }
      #expect(wrong.property == name && wrong.message.contains("number"))
      try wide.setValue(2.0, forKey: name)
    }
    try context.save()
    let reader = bench.context()
    let copy = try #require(
      try reader.fetch(FetchRequest<ManagedObject>(entityName: "Wide")).first
    )
    #expect(try copy.value(forKey: names[64]) as? Double == 2)
    #expect(try copy.value(forKey: names[65]) as? Double == 1)
    withExtendedLifetime(reader) {}
  }
}
