// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1F.5 and 1F.6: changed, committed and primitive values")
struct ObjectValueTests {
  @Test(arguments: StoreKind.allCases)
  func `1F.5 changedValues never fires a fault`(_ kind: StoreKind) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let (a, b) = (Hooked(context: context), Hooked(context: context))
      b.owner = a
      b.title = "b"
      try context.save()
      let other = bench.context()
      let part = try #require(try other.first(Hooked.filter(format: "title == 'b'")))
      let owner = try #require(part.owner)
      #expect(owner.isFault)
      #expect(owner.changedValues().isEmpty)
      #expect(!owner.hasPersistentChangedValues)
      part.owner = nil
      #expect(part.changedValues() == ["owner": .null])
      #expect(owner.isFault)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.5 committedValues has the saved values, unfired to-manys left out for nil`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let (a, b) = (Hooked(context: context), Hooked(context: context))
      a.title = "a"
      b.owner = a
      #expect(try a.committedValues(forKeys: nil).isEmpty)
      try context.save()
      let other = bench.context()
      let object = try #require(try other.first(Hooked.filter(format: "title == 'a'")))
      object.title = "x"
      let values = try object.committedValues(forKeys: nil)
      #expect(Set(values.keys) == ["title", "count", "mark", "owner"])
      #expect(values["title"] as? String == "a")
      #expect(values["owner"] as? ManagedObjectID == nil)
      let parts = try object.committedValues(forKeys: ["parts"])
      #expect(parts["parts"] as? [ManagedObjectID] == [b.objectID])
      object.parts.removeAll()
      let all = try object.committedValues(forKeys: nil)
      #expect(all["parts"] as? [ManagedObjectID] == [b.objectID])
      #expect(code { _ = try object.committedValues(forKeys: ["tilte"]) } == .unknownName)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.10 a transient attribute is tracked and validated, but never stored`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let object = Hooked(context: context)
      try context.save()
      object.mark = 5
      #expect(object.hasChanges && context.hasChanges)
      #expect(!object.hasPersistentChangedValues)
      #expect(object.changedValues() == ["mark": .integer(5)])
      context.rollback()
      #expect(object.mark == 0)
      object.mark = 6
      try context.save()
      #expect(object.mark == 6)
      #expect(!context.hasChanges)
      object.title = "b"
      #expect(object.hasPersistentChangedValues)
      try context.save()
      #expect(object.mark == 6)
      #expect(try bench.context().fetch(Hooked.all).map(\.mark) == [0])
      context.delete(object)
      #expect(object.hasPersistentChangedValues)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.10 a transient change alone conflicts with nobody`(_ kind: StoreKind) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let object = Hooked(context: context)
      try context.save()
      let other = bench.context()
      try #require(try other.fetch(Hooked.all).first).title = "other"
      try other.save()
      object.mark = 1
      try context.save()
      #expect(object.mark == 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.10 a predicate or a sort that names a transient attribute is an error`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      Hooked(context: context).mark = 3
      try context.save()
      let request = Hooked.filter(format: "mark == 3")
      #expect(code { _ = try bench.context().fetch(request) } == .unknownName)
      #expect(code { _ = try context.count(for: request) } == .unknownName)
      let compound = Hooked.filter(format: "ANY parts.mark > 1")
      #expect(code { _ = try bench.context().fetch(compound) } == .unknownName)
      let sorted = Hooked.all.sorted(by: FetchSort("mark"))
      #expect(code { _ = try bench.context().fetch(sorted) } == .unknownName)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.6 a primitive value is no change; a save of other changes writes it`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let object = Hooked(context: context)
      try object.setPrimitiveValue(1, forKey: "count")
      #expect(object.changedValues().isEmpty)
      #expect(try object.primitiveValue(forKey: "count") as? Int64 == 1)
      try context.save()
      #expect(try bench.context().fetch(Hooked.all).map(\.count) == [1])

      try object.setPrimitiveValue(2, forKey: "count")
      #expect(object.count == 2)
      #expect(!object.hasChanges && !context.hasChanges)
      try context.save()
      #expect(try bench.context().fetch(Hooked.all).map(\.count) == [1])

      object.title = "b"
      try object.setPrimitiveValue(3, forKey: "count")
      #expect(object.changedValues() == ["title": .string("b")])
      try context.save()
      #expect(try bench.context().fetch(Hooked.all).map(\.count) == [3])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.6 willSave may set a primitive value without being called again`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let object = Hooked(context: context)
      log.onWillSave = { try $0.setPrimitiveValue($0.count + 1, forKey: "count") }
      try context.save()
      object.title = "b"
      try context.save()
      #expect(log.lines.filter { $0.hasPrefix("willSave") } == ["willSave new", "willSave b"])
      #expect(try bench.context().fetch(Hooked.all).map(\.count) == [2])
      #expect(log.errors.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.6 a primitive value bypasses the inverse by taking no relationships`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let object = Hooked(context: context)
      #expect(code { try object.setPrimitiveValue(nil, forKey: "owner") } == .typeMismatch)
      #expect(code { try object.setPrimitiveValue("x", forKey: "count") } == .typeMismatch)
      #expect(code { try object.setPrimitiveValue(1, forKey: "cuont") } == .unknownName)
      withExtendedLifetime(context) {}
    }
  }
}
