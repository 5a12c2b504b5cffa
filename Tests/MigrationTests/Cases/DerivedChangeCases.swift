// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

extension MigrationCase {
  private static func carts(
    _ price: PropertyDescription,
    _ cart: PropertyDescription = .toOne("cart", "Cart", inverse: "items"),
    inverse: String = "cart",
    extra: [EntityDescription] = []
  ) -> [EntityDescription] {
    [
      EntityDescription(
        "Cart",
        properties: [
          .toMany("items", "Item", inverse: inverse),
          .attribute("total", .int64, optional: true, derived: "items.@sum.price"),
          .attribute("count", .int64, optional: true, derived: "items.@count"),
        ]
      ),
      EntityDescription("Item", properties: [price, cart]),
    ] + extra
  }

  /// Carts with the greatest price of their items.
  private static func tops(_ top: PropertyDescription) -> [EntityDescription] {
    [
      EntityDescription("Cart", properties: [.toMany("items", "Item", inverse: "cart"), top]),
      EntityDescription(
        "Item",
        properties: [.optional("price", .int64), .toOne("cart", "Cart", inverse: "items")]
      ),
    ]
  }

  private static let filledCart = [
    StoredObject("Cart", 1, ["total": 5, "count": 2], ["items": [1, 2]]),
    StoredObject("Item", 1, ["price": 5, "cart": .object("Cart", 1)]),
    StoredObject("Item", 2, ["cart": .object("Cart", 1)]),
  ]

  /// People and robots with a car each; robots are people, or leave the tree.
  private static func cars(robotsAreGone: Bool) -> [EntityDescription] {
    [
      EntityDescription(
        "Car",
        properties: [
          .toOne("driver", "Person", inverse: "cars"),
          .toMany("riders", "Person", inverse: "rides"),
          .attribute("name", .string, optional: true, derived: "driver.name"),
          .attribute("count", .int64, optional: true, derived: "riders.@count"),
        ]
      ),
      EntityDescription(
        "Person",
        properties: [
          .optional("name", .string), .toMany("cars", "Car", inverse: "driver"),
          .toMany("rides", "Car", inverse: "riders"),
        ]
      ),
    ] + (robotsAreGone ? [] : [EntityDescription("Robot", parent: "Person", properties: [])])
  }

  private static func notes(twin: Bool, isExternal: Bool, twinIsExternal: Bool = false)
    -> [EntityDescription]
  {
    let copy = AttributeDescription(
      "twin",
      .binaryData,
      isOptional: true,
      allowsExternalBinaryDataStorage: twinIsExternal,
      derivationExpression: "data"
    )
    return [
      EntityDescription(
        "Note",
        properties: [.file("data", isExternal: isExternal)] + (twin ? [.attribute(copy)] : [])
      )
    ]
  }

  private static let small = StoredValue.value(.data(Data([1, 2, 3])))
  private static let large = StoredValue.value(.data(Data(repeating: 5, count: 300_000)))

  /// The case of notes whose data are copied.
  private static func twins(
    _ name: String,
    isExternal: Bool,
    twinIsExternal: Bool
  ) -> MigrationCase {
    MigrationCase(
      name,
      from: notes(twin: false, isExternal: isExternal),
      to: notes(twin: true, isExternal: isExternal, twinIsExternal: twinIsExternal),
      [
        StoredObject("Note", 1, ["data": small]), StoredObject("Note", 2, ["data": large]),
        StoredObject("Note", 3),
      ],
      becomes: [
        StoredObject("Note", 1, ["data": small, "twin": small]),
        StoredObject("Note", 2, ["data": large, "twin": large]), StoredObject("Note", 3),
      ]
    )
  }

  /// Derived attributes whose expressions stay, while what they are computed of changes.
  static let derivedChanges: [MigrationCase] = [
    twins("data that may lie in files are copied", isExternal: true, twinIsExternal: false),
    twins("a copy of data may lie in files", isExternal: false, twinIsExternal: true),
    twins("data and their copy may lie in files", isExternal: true, twinIsExternal: true),
    MigrationCase(
      "a sum counts the default values that fill gaps",
      from: carts(.optional("price", .int64)),
      to: carts(.attribute("price", .int64, default: 7)),
      filledCart,
      becomes: [
        StoredObject("Cart", 1, ["total": 12, "count": 2], ["items": [1, 2]]),
        StoredObject("Item", 1, ["price": 5, "cart": .object("Cart", 1)]),
        StoredObject("Item", 2, ["price": 7, "cart": .object("Cart", 1)]),
      ]
    ),
    MigrationCase(
      "a sum stays when something else changes",
      from: carts(.optional("price", .int64)),
      to: carts(
        .optional("price", .int64),
        extra: [EntityDescription("Another", properties: [.optional("name", .string)])]
      ),
      filledCart,
      becomes: filledCart
    ),
    MigrationCase(
      "a count follows its relationship's inverse, which is renamed",
      from: carts(.optional("price", .int64)),
      to: carts(
        .optional("price", .int64),
        .toOne("basket", "Cart", inverse: "items").renamed(from: "cart"),
        inverse: "basket"
      ),
      filledCart,
      becomes: [
        StoredObject("Cart", 1, ["total": 5, "count": 2], ["items": [1, 2]]),
        StoredObject("Item", 1, ["price": 5, "basket": .object("Cart", 1)]),
        StoredObject("Item", 2, ["basket": .object("Cart", 1)]),
      ]
    ),
    MigrationCase(
      "what is derived of objects whose entity is removed",
      from: cars(robotsAreGone: false),
      to: cars(robotsAreGone: true),
      [
        StoredObject(
          "Car",
          1,
          ["driver": .object("Robot", 2), "name": "R2", "count": 2],
          ["riders": [1, 2]]
        ),
        StoredObject("Person", 1, ["name": "Ann"], ["rides": [1]]),
        StoredObject("Robot", 2, ["name": "R2"], ["cars": [1], "rides": [1]]),
      ],
      becomes: [
        StoredObject("Car", 1, ["count": 1], ["riders": [1]]),
        StoredObject("Person", 1, ["name": "Ann"], ["rides": [1]]),
      ]
    ),
    MigrationCase(
      "a required attribute is not derived any more, and its default fills gaps",
      from: tops(.attribute("top", .int64, derived: "items.price.@max")),
      to: tops(.attribute("top", .int64, default: 0)),
      [
        StoredObject("Cart", 1, ["top": 5], ["items": [1, 2]]), StoredObject("Cart", 2),
        StoredObject("Item", 1, ["price": 5, "cart": .object("Cart", 1)]),
        StoredObject("Item", 2, ["price": 3, "cart": .object("Cart", 1)]),
      ],
      becomes: [
        StoredObject("Cart", 1, ["top": 5], ["items": [1, 2]]), StoredObject("Cart", 2, ["top": 0]),
        StoredObject("Item", 1, ["price": 5, "cart": .object("Cart", 1)]),
        StoredObject("Item", 2, ["price": 3, "cart": .object("Cart", 1)]),
      ]
    ),
  ]
}
