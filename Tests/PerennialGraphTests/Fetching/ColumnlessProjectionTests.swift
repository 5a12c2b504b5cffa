// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

/// An object that has nothing but others of its kind.
private final class Knot: ManagedObject, ManagedEntity {
  var tied: ToMany<Knot> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    EntityDescription(
      managing: Knot.self,
      named: "Knot",
      superclass: ManagedObject.self,
      properties: [.of("tied", ToMany<Knot>.self, inverse: "tied")]
    )
  }
}

@Suite("Values of an entity that has no attributes")
struct ColumnlessProjectionTests {
  @Test(arguments: StoreKind.allCases, [false, true])
  func `1G.7 an entity without attributes gives an empty dictionary for each object`(
    _ kind: StoreKind,
    _ isNested: Bool
  ) throws {
    let bench = try Bench(kind, model: ManagedObjectModel(Knot.entity), classes: [Knot.self])
    let top = bench.context()
    let knots = (0..<4).map { _ in Knot(context: top) }
    knots[0].tied.insert(knots[1])
    try top.save()
    let context = isNested ? ManagedObjectContext(parent: top) : top
    var request = FetchRequest<Knot>()
    #expect(try context.fetchDictionaries(request).map(\.isEmpty) == [true, true, true, true])
    #expect(try context.fetchDictionaries(request.filter("tied.@count > 0")).count == 2)
    (request.fetchOffset, request.fetchLimit) = (1, 2)
    #expect(try context.fetchDictionaries(request).count == 2)
    request.fetchOffset = 3
    #expect(try context.fetchDictionaries(request).count == 1)
    request.returnsDistinctResults = true
    #expect(try context.fetchDictionaries(request).isEmpty)
    request.fetchOffset = 0
    #expect(try context.fetchDictionaries(request).count == 1)
  }
}
