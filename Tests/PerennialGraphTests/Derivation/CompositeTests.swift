// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

/// Whether a value by name is none.
private func isAbsent(_ value: (any Sendable)?) -> Bool {
  if case nil = value { true } else { false }
}

/// A type whose values may refuse to be encoded.
private struct Note: Codable, Sendable, Equatable {
  struct Refusal: Error {}

  var text = ""
  var isSecret = false

  init(_ text: String = "", isSecret: Bool = false) {
    self.text = text
    self.isSecret = isSecret
  }

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }

  func encode(to encoder: any Encoder) throws {
    if isSecret { throw Refusal() }
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// A composite attribute with Codable elements, as `@Composite` would write it.
private struct Stretch: CompositeAttribute, Equatable {
  var ends: [Double]
  var note: Note

  static var _elements: [PropertyDescription] {
    [.of("ends", [Double].self, default: []), .of("note", Note.self, default: Note())]
  }
  static var _slotCount: Int { 2 }
  static func _elementName(for keyPath: AnyKeyPath) -> String? { nil }

  func _write(to elements: inout _ElementWriter) {
    elements.write(ends)
    elements.write(note)
  }
}

extension Stretch {
  fileprivate init(_reading elements: inout _ElementReader) {
    ends = elements.read(default: [])
    note = elements.read(default: Note())
  }
}

/// A number or a text, which is told by trying.
private enum Reading: Codable, Sendable, Equatable {
  case number(Double)
  case text(String)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    }
  }
}

private final class Track: ManagedObject, ManagedEntity {
  var heights: [Double]? {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var note: Note {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var stretch: Stretch {
    get { _get(2) }
    set { _set(2, newValue) }
  }
  var values: [Reading]? {
    get { _get(4) }
    set { _set(4, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Track.self,
        named: "Track",
        superclass: ManagedObject.self,
        properties: [
          .of("heights", ([Double]?).self), .of("note", Note.self, default: Note()),
          .of("stretch", Stretch.self), .of("values", ([Reading]?).self),
        ]
      )
    }
    return Storage.entity
  }
  override class var slotCount: Int { 5 }
}

@Suite("SEMANTICS 1A.7 and 1A.8: composite and Codable attributes")
struct CompositeTests {
  private func bench(_ kind: StoreKind) throws -> Bench {
    let spot = AttributeDescription(
      "spot",
      .composite,
      isOptional: true,
      elements: [AttributeDescription("x", .double), AttributeDescription("y", .double)]
    )
    let address = AttributeDescription(
      "address",
      .composite,
      isOptional: true,
      elements: [
        AttributeDescription(
          "city",
          .string,
          validation: ValidationRules(maximumLength: 9)
        ),
        AttributeDescription("number", .int64), spot,
      ]
    )
    let model = try ManagedObjectModel(
      EntityDescription(
        "Person",
        properties: [.attribute("name", .string, default: ""), .attribute(address)]
      )
    )
    return try Bench(kind, model: model, classes: [])
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.8 elements are read, set, fetched and sorted by key path`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    for city in ["Ulm", "Bonn"] {
      let person = try context.insert(entityNamed: "Person")
      try person.setValue(city, forKey: "address.city")
      try person.setValue(2.5, forKey: "address.spot.x")
      #expect(person.changedValues()["address.city"] == .string(city))
    }
    try context.save()
    let reader = bench.context()
    var request = FetchRequest<ManagedObject>(entityName: "Person")
    request.sortDescriptors = [FetchSort("address.city")]
    let cities = try reader.fetch(request).map { try $0.value(forKey: "address.city") as? String }
    #expect(cities == ["Bonn", "Ulm"])
    request.predicate = "address.city == 'Ulm' AND address.spot.x > 2"
    #expect(try reader.count(for: request) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.8 the whole value is a dictionary`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let person = try context.insert(entityNamed: "Person")
    #expect(isAbsent(try person.value(forKey: "address")))
    let spot: [String: any Sendable] = ["x": 1.5, "y": -2.0]
    let address: [String: any Sendable] = ["city": "Ulm", "number": 7, "spot": spot]
    try person.setValue(address, forKey: "address")
    try context.save()
    let reader = bench.context()
    let read = try #require(
      try reader.fetch(FetchRequest<ManagedObject>(entityName: "Person")).first
    )
    let stored = try #require(try read.value(forKey: "address") as? [String: any Sendable])
    #expect(stored["city"] as? String == "Ulm" && stored["number"] as? Int64 == 7)
    #expect((stored["spot"] as? [String: any Sendable])?["y"] as? Double == -2)
    try person.setValue(["city": "Bonn"], forKey: "address")
    #expect(isAbsent(try person.value(forKey: "address.number")))
    #expect(try person.value(forKey: "address.city") as? String == "Bonn")
    context.rollback()
    let value = try #require(try person.value(forKey: "address") as? [String: any Sendable])
    #expect(value["city"] as? String == "Ulm")
    #expect(value["number"] as? Int64 == 7)
    #expect((value["spot"] as? [String: any Sendable])?["y"] as? Double == -2)
    try person.setValue(nil, forKey: "address")
    #expect(isAbsent(try person.value(forKey: "address")))
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.8 a wrong element or type is an error and changes nothing, rules hold`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let person = try context.insert(entityNamed: "Person")
    #expect(code { try person.setValue(["ctiy": "Ulm"], forKey: "address") } == .unknownName)
    #expect(code { try person.setValue(["city": 5], forKey: "address") } == .typeMismatch)
    #expect(code { try person.setValue("Ulm", forKey: "address") } == .typeMismatch)
    #expect(isAbsent(try person.value(forKey: "address")))
    try person.setValue("Gelsenkirchen", forKey: "address.city")
    #expect(code { try context.save() } == .stringTooLong)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.7 a Codable value is a copy: changing one poisons no snapshot`(_ kind: StoreKind) throws
  {
    let bench = try Bench(kind)
    let context = bench.context()
    let commit = Commit(context: context)
    commit.sha = "a"
    commit.place = Place(file: "main.swift", line: 1)
    try context.save()
    var place = try #require(commit.place)
    place.line = 2
    #expect(commit.place?.line == 1)
    #expect(!commit.hasChanges)
    commit.place = place
    #expect(commit.hasChanges)
    #expect(Set(commit.changedValues().keys) == ["place"])
    place.line = 3
    #expect(commit.place?.line == 2)
    commit.place = Place(file: "main.swift", line: 1)
    commit.place?.line = 5
    try context.save()
    let read = try #require(try bench.context().fetch(Commit.all).first)
    #expect(read.place == Place(file: "main.swift", line: 5))
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.7 setting an equal Codable value is no change`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commit = Commit(context: context)
    commit.sha = "a"
    commit.place = Place(file: "main.swift", line: 1)
    try context.save()
    commit.place = Place(file: "main.swift", line: 1)
    #expect(!commit.hasChanges)
    commit.place = nil
    try context.save()
    #expect(try bench.context().fetch(Commit.all).map(\.place) == [nil])
  }

  private func tracks(_ kind: StoreKind) throws -> Bench {
    try Bench(
      kind,
      model: ManagedObjectModel(entities: [Track.entity]),
      classes: [Track.self]
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.7 numbers in Codable values may be infinite, or none`(_ kind: StoreKind) throws {
    let bench = try tracks(kind)
    let context = bench.context()
    let track = Track(context: context)
    let heights: [Double] = [1, .infinity, -.infinity]
    track.heights = heights
    track.stretch = Stretch(ends: [-Double.infinity, Double.nan], note: Note("a"))
    try context.save()
    let reader = bench.context()
    let read = try #require(try reader.fetch(Track.all).first)
    #expect(read.heights == heights)
    #expect(read.stretch.note == Note("a"))
    #expect(read.stretch.ends.first == -Double.infinity)
    #expect(read.stretch.ends.last?.isNaN == true)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.7 a text in a Codable value stays a text, whatever number it names`(
    _ kind: StoreKind
  ) throws {
    let bench = try tracks(kind)
    let context = bench.context()
    let track = Track(context: context)
    let values: [Reading] = [
      .text("nan"), .text("inf"), .text("-inf"), .text("1"), .number(.infinity),
      .number(-.infinity), .number(1),
    ]
    track.values = values
    #expect(track.values == values)
    try context.save()
    let reader = bench.context()
    #expect(try reader.fetch(Track.all).first?.values == values)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.7 a value that cannot be encoded is an error of the next save, and the old one stays`(
    _ kind: StoreKind
  ) throws {
    let bench = try tracks(kind)
    let context = bench.context()
    let track = Track(context: context)
    track.note = Note("old")
    track.stretch = Stretch(ends: [1], note: Note("old"))
    try context.save()
    track.note = Note("new", isSecret: true)
    #expect(track.note == Note("old"))
    let error = #expect(throws: PerennialError.self) { try context.save() }
    #expect(error?.code == .typeMismatch)
    #expect(error?.property == "note")
    #expect(error?.underlying is Note.Refusal)
    track.stretch = Stretch(ends: [2], note: Note("new", isSecret: true))
    #expect(track.stretch == Stretch(ends: [1], note: Note("old")))
    #expect(code { try context.save() } == .typeMismatch)
    track.note = Note("new")
    try context.save()
    let reader = bench.context()
    let read = try #require(try reader.fetch(Track.all).first)
    #expect(read.note == Note("new"))
    #expect(read.stretch == Stretch(ends: [1], note: Note("old")))
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.8 a composite attribute may have a name that is not ASCII`(_ kind: StoreKind) throws {
    let size = AttributeDescription(
      "größe",
      .composite,
      isOptional: true,
      elements: [AttributeDescription("länge", .double)]
    )
    let model = try ManagedObjectModel(EntityDescription("Box", properties: [.attribute(size)]))
    let bench = try Bench(kind, model: model, classes: [])
    let context = bench.context()
    let box = try context.insert(entityNamed: "Box")
    try box.setValue(["länge": 2.5], forKey: "größe")
    try context.save()
    #expect(try box.value(forKey: "größe.länge") as? Double == 2.5)
    let reader = bench.context()
    let read = try #require(try reader.fetch(FetchRequest<ManagedObject>(entityName: "Box")).first)
    #expect(try read.value(forKey: "größe.länge") as? Double == 2.5)
    let value = try #require(try read.value(forKey: "größe") as? [String: any Sendable])
    #expect(value["länge"] as? Double == 2.5)
  }
}
