// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

extension MigrationCase {
  private static func person(_ properties: PropertyDescription...) -> [EntityDescription] {
    [EntityDescription("Person", properties: properties)]
  }

  /// Attributes that come, go, change their names, or whether they must have a value.
  static let attributes: [MigrationCase] = [
    MigrationCase(
      "an optional attribute is added",
      from: person(.attribute("name", .string)),
      to: person(.attribute("name", .string), .optional("age", .int16)),
      [
        StoredObject("Person", 1, ["name": "Ann"]),
        StoredObject("Person", 7, version: 3, ["name": "Bo"]),
      ],
      becomes: [
        StoredObject("Person", 1, ["name": "Ann"]),
        StoredObject("Person", 7, version: 3, ["name": "Bo"]),
      ]
    ),
    MigrationCase(
      "an attribute with a default value is added, required or not",
      from: person(.attribute("name", .string)),
      to: person(
        .attribute("age", .int32, default: 18),
        .attribute("name", .string),
        .attribute("rank", .string, optional: true, default: "new"),
        .attribute("weight", .double, default: 1.5)
      ),
      [StoredObject("Person", 2, ["name": "Ann"])],
      becomes: [
        StoredObject("Person", 2, ["name": "Ann", "age": 18, "rank": "new", "weight": 1.5])
      ]
    ),
    MigrationCase(
      "an attribute is removed",
      from: person(
        .attribute("name", .string),
        .optional("age", .int16),
        .optional("city", .string)
      ),
      to: person(.attribute("name", .string), .optional("city", .string)),
      [StoredObject("Person", 1, version: 2, ["name": "Ann", "age": 40, "city": "Oslo"])],
      becomes: [StoredObject("Person", 1, version: 2, ["name": "Ann", "city": "Oslo"])]
    ),
    MigrationCase(
      "a required attribute becomes optional",
      from: person(.attribute("name", .string)),
      to: person(.optional("name", .string)),
      [StoredObject("Person", 1, ["name": "Ann"])],
      becomes: [StoredObject("Person", 1, ["name": "Ann"])]
    ),
    MigrationCase(
      "an optional attribute becomes required with a default value, which fills gaps",
      from: person(.optional("name", .string), .optional("age", .int64)),
      to: person(
        .attribute("name", .string, default: "nobody"),
        .attribute("age", .int64, default: 7)
      ),
      [
        StoredObject("Person", 1, ["name": "Ann"]), StoredObject("Person", 2, ["age": 3]),
        StoredObject("Person", 3, ["name": "", "age": 0]),
      ],
      becomes: [
        StoredObject("Person", 1, ["name": "Ann", "age": 7]),
        StoredObject("Person", 2, ["name": "nobody", "age": 3]),
        StoredObject("Person", 3, ["name": "", "age": 0]),
      ]
    ),
    MigrationCase(
      "an attribute that was optional gets a default value and stays optional: gaps stay",
      from: person(.optional("age", .int64)),
      to: person(.attribute("age", .int64, optional: true, default: 7)),
      [StoredObject("Person", 1), StoredObject("Person", 2, ["age": 3])],
      becomes: [StoredObject("Person", 1), StoredObject("Person", 2, ["age": 3])]
    ),
    MigrationCase(
      "an attribute is renamed by its renaming identifier",
      from: person(.attribute("name", .string), .optional("age", .int16)),
      to: person(.attribute("fullName", .string).renamed(from: "name"), .optional("age", .int16)),
      [StoredObject("Person", 1, ["name": "Ann", "age": 40])],
      becomes: [StoredObject("Person", 1, ["fullName": "Ann", "age": 40])]
    ),
    MigrationCase(
      "an attribute is renamed from the first version to the third: the identifier is the same in all",
      from: person(.attribute("fullName", .string).renamed(from: "name")),
      to: person(.attribute("title", .string).renamed(from: "name")),
      [StoredObject("Person", 1, ["fullName": "Ann"])],
      becomes: [StoredObject("Person", 1, ["title": "Ann"])]
    ),
    MigrationCase(
      "two attributes exchange their names",
      from: person(.optional("first", .string), .optional("last", .string)),
      to: person(
        .optional("first", .string).renamed(from: "last"),
        .optional("last", .string).renamed(from: "first")
      ),
      [
        StoredObject("Person", 1, ["first": "Ann", "last": "Lee"]),
        StoredObject("Person", 2, ["first": "Bo"]),
      ],
      becomes: [
        StoredObject("Person", 1, ["first": "Lee", "last": "Ann"]),
        StoredObject("Person", 2, ["last": "Bo"]),
      ]
    ),
    MigrationCase(
      "a name goes to another attribute, and its old one to a new attribute",
      from: person(.attribute("name", .string)),
      to: person(
        .attribute("name", .string, default: "?"),
        .attribute("alias", .string).renamed(from: "name")
      ),
      [StoredObject("Person", 1, ["name": "Ann"])],
      becomes: [StoredObject("Person", 1, ["alias": "Ann", "name": "?"])]
    ),
    MigrationCase(
      "a transient attribute is stored, a stored one becomes transient",
      from: person(
        .attribute("name", .string, optional: true, transient: true),
        .optional("age", .int16),
        .attribute("city", .string)
      ),
      to: person(
        .attribute("name", .string, default: "?"),
        .attribute("age", .int16, optional: true, transient: true),
        .attribute("city", .string)
      ),
      [StoredObject("Person", 1, ["age": 4, "city": "Oslo"])],
      becomes: [StoredObject("Person", 1, ["name": "?", "city": "Oslo"])]
    ),
    MigrationCase(
      "elements of a composite attribute are added and removed",
      from: person(
        .attribute("name", .string),
        .composite(
          "address",
          [
            AttributeDescription("city", .string, isOptional: true),
            AttributeDescription("zip", .int32, isOptional: true),
          ]
        )
      ),
      to: person(
        .attribute("name", .string),
        .composite(
          "home",
          [
            AttributeDescription("street", .string, isOptional: true),
            AttributeDescription("city", .string, isOptional: true),
          ]
        ).renamed(from: "address")
      ),
      [
        StoredObject("Person", 1, ["name": "Ann", "address.city": "Oslo", "address.zip": 123]),
        StoredObject("Person", 2, ["name": "Bo"]),
      ],
      becomes: [
        StoredObject("Person", 1, ["name": "Ann", "home.city": "Oslo"]),
        StoredObject("Person", 2, ["name": "Bo"]),
      ]
    ),
    MigrationCase(
      "elements of a composite attribute are renamed, or exchange their names, on every level",
      from: person(
        .composite(
          "address",
          [
            AttributeDescription("city", .string, isOptional: true),
            AttributeDescription("east", .double, isOptional: true),
            AttributeDescription("north", .double, isOptional: true),
            AttributeDescription(
              "post",
              .composite,
              isOptional: true,
              elements: [AttributeDescription("zip", .int32, isOptional: true)]
            ),
          ]
        )
      ),
      to: person(
        .composite(
          "home",
          [
            AttributeDescription("town", .string, isOptional: true, renamingIdentifier: "city"),
            AttributeDescription("east", .double, isOptional: true, renamingIdentifier: "north"),
            AttributeDescription("north", .double, isOptional: true, renamingIdentifier: "east"),
            AttributeDescription(
              "mail",
              .composite,
              isOptional: true,
              elements: [
                AttributeDescription("code", .int64, isOptional: true, renamingIdentifier: "zip")
              ],
              renamingIdentifier: "post"
            ),
          ]
        ).renamed(from: "address")
      ),
      [
        StoredObject(
          "Person",
          1,
          [
            "address.city": "Oslo", "address.east": 1.5, "address.north": 2.5,
            "address.post.zip": 7,
          ]
        ),
        StoredObject("Person", 2, ["address.city": "Bonn"]),
      ],
      becomes: [
        StoredObject(
          "Person",
          1,
          ["home.town": "Oslo", "home.east": 2.5, "home.north": 1.5, "home.mail.code": 7]
        ),
        StoredObject("Person", 2, ["home.town": "Bonn"]),
      ]
    ),
    MigrationCase(
      "a uniqueness constraint is added; values differ, or there are none",
      from: person(.optional("email", .string), .optional("city", .string)),
      to: [
        EntityDescription(
          "Person",
          uniqueness: [["email"], ["email", "city"]],
          properties: [.optional("email", .string), .optional("city", .string)]
        )
      ],
      [
        StoredObject("Person", 1, ["email": "a", "city": "Oslo"]),
        StoredObject("Person", 2, ["email": "b", "city": "Oslo"]),
        StoredObject("Person", 3, ["city": "Oslo"]), StoredObject("Person", 4, ["city": "Oslo"]),
      ],
      becomes: [
        StoredObject("Person", 1, ["email": "a", "city": "Oslo"]),
        StoredObject("Person", 2, ["email": "b", "city": "Oslo"]),
        StoredObject("Person", 3, ["city": "Oslo"]), StoredObject("Person", 4, ["city": "Oslo"]),
      ]
    ),
    MigrationCase(
      "a uniqueness constraint is removed",
      from: [
        EntityDescription(
          "Person",
          uniqueness: [["email"]],
          properties: [.optional("email", .string)]
        )
      ],
      to: person(.optional("email", .string)),
      [StoredObject("Person", 1, ["email": "a"])],
      becomes: [StoredObject("Person", 1, ["email": "a"])]
    ),
  ]

  private static let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
  private static let other = Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 11) })

  private static func thing(_ properties: [PropertyDescription]) -> [EntityDescription] {
    [EntityDescription("Thing", properties: properties)]
  }

  private static func typed(_ types: [(String, AttributeType)]) -> [PropertyDescription] {
    types.map { .optional($0.0, $0.1) }
  }

  /// Values of all types, and types that become wider.
  static let types: [MigrationCase] = [
    MigrationCase(
      "values of every type stay as they are, in another order of attributes",
      from: thing(typed(everyType)),
      to: thing(typed([("added", .bool)] + everyType.reversed())),
      [StoredObject("Thing", 1, everyValue), StoredObject("Thing", 2)],
      becomes: [StoredObject("Thing", 1, everyValue), StoredObject("Thing", 2)]
    ),
    MigrationCase(
      "types become wider",
      from: thing(
        typed([
          ("a", .int16), ("b", .int32), ("c", .int16), ("d", .int32), ("e", .int64), ("f", .float),
          ("g", .bool), ("h", .url), ("i", .int16), ("j", .int32),
        ])
      ),
      to: thing(
        typed([
          ("a", .int64), ("b", .int64), ("c", .double), ("d", .decimal), ("e", .decimal),
          ("f", .double),
          ("g", .int32), ("h", .string), ("i", .float), ("j", .double),
        ])
      ),
      [
        StoredObject(
          "Thing",
          1,
          [
            "a": -3, "b": 70_000, "c": -7, "d": 12, "e": -9_007_199_254_740, "f": 0.5, "g": true,
            "h": .value(.url(URL(filePath: "/tmp/a b"))), "i": 3, "j": 2_000_000_000,
          ]
        ),
        StoredObject("Thing", 2, ["g": false]), StoredObject("Thing", 3),
      ],
      becomes: [
        StoredObject(
          "Thing",
          1,
          [
            "a": -3, "b": 70_000, "c": -7.0, "d": .value(.decimal(12)),
            "e": .value(.decimal(-9_007_199_254_740)), "f": 0.5, "g": 1,
            "h": .value(.string(URL(filePath: "/tmp/a b").absoluteString)), "i": 3.0,
            "j": 2_000_000_000.0,
          ]
        ),
        StoredObject("Thing", 2, ["g": 0]), StoredObject("Thing", 3),
      ]
    ),
    MigrationCase(
      "large values go into files of their own, out of them, or stay there",
      from: thing([
        .file("in", isExternal: false), .file("out", isExternal: true),
        .file("stays", isExternal: true),
      ]),
      to: thing([
        .file("in", isExternal: true), .file("kept", isExternal: true).renamed(from: "stays"),
        .file("out", isExternal: false),
      ]),
      [
        StoredObject(
          "Thing",
          1,
          ["in": .value(.data(large)), "out": .value(.data(other)), "stays": .value(.data(large))]
        ),
        StoredObject(
          "Thing",
          2,
          [
            "in": .value(.data(Data([1]))), "out": .value(.data(Data([2]))),
            "stays": .value(.data(Data([3]))),
          ]
        ),
        StoredObject("Thing", 3),
      ],
      becomes: [
        StoredObject(
          "Thing",
          1,
          ["in": .value(.data(large)), "out": .value(.data(other)), "kept": .value(.data(large))]
        ),
        StoredObject(
          "Thing",
          2,
          [
            "in": .value(.data(Data([1]))), "out": .value(.data(Data([2]))),
            "kept": .value(.data(Data([3]))),
          ]
        ),
        StoredObject("Thing", 3),
      ]
    ),
    MigrationCase(
      "an attribute whose large values lie in files is removed",
      from: thing([.file("old", isExternal: true), .optional("name", .string)]),
      to: thing([.optional("name", .string)]),
      [StoredObject("Thing", 1, ["old": .value(.data(large)), "name": "a"])],
      becomes: [StoredObject("Thing", 1, ["name": "a"])]
    ),
  ]

  private static let everyType: [(String, AttributeType)] = [
    ("anInt16", .int16), ("anInt32", .int32), ("anInt64", .int64), ("aBool", .bool),
    ("aDouble", .double), ("aFloat", .float), ("aDate", .date), ("aDecimal", .decimal),
    ("aString", .string), ("aURL", .url), ("aUUID", .uuid), ("aBlob", .binaryData),
    ("aJSON", .transformable),
  ]

  private static let everyValue: [String: StoredValue] = [
    "anInt16": -5, "anInt32": 70_000, "anInt64": .value(.integer(.min)), "aBool": true,
    "aDouble": 1.25e300, "aFloat": 0.5,
    "aDate": .value(.date(Date(timeIntervalSinceReferenceDate: 12_345.678_9))),
    "aDecimal": .value(.decimal(Decimal(125) / 10)), "aString": "Zoë '\"%_\u{1F600}",
    "aURL": .value(.url(URL(filePath: "/tmp/x"))),
    "aUUID": .value(.uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))),
    "aBlob": .value(.data(Data([0, 1, 255]))), "aJSON": .value(.data(Data("{}".utf8))),
  ]
}
