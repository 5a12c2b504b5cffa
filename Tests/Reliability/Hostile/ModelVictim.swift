// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModelFiles

/// Models, as Xcode saves and compiles them, whose files are damaged; what can be read makes a store.
struct ModelVictim: Victim {
  let kind = "models"
  private let scratch: Scratch
  private let texts: [[UInt8]]
  private let values: ValueDamage
  private let compiled: [[UInt8]]

  init(in scratch: Scratch) throws {
    self.scratch = scratch
    texts = try Fixtures.models.map { Array(try Data(contentsOf: $0)) }.filter { $0.count < 60_000 }
    values = ValueDamage(texts, strangers: Self.words.filter { $0.first == UInt8(ascii: "\"") })
    compiled = try Fixtures.compiledModels.map { Array(try Data(contentsOf: $0)) }
  }

  func attack(_ chance: inout Chance) throws -> Attempts {
    let name: String
    var bytes: [UInt8]
    if chance.once(in: 3) {
      name = "model.mom"
      bytes = chance.one(of: compiled)
      ByteDamage.damage(&bytes, &chance)
    } else {
      name = "model.xcdatamodel/contents"
      if chance.once(in: 2) {
        bytes = values.damagedText(&chance)
      } else {
        bytes = chance.one(of: texts)
        if chance.once(in: 3) {
          ByteDamage.damage(&bytes, &chance)
        } else {
          TextDamage.damage(&bytes, Self.words, &chance)
        }
      }
    }
    try scratch.put([name: Data(bytes)])
    let file = scratch.stores.appending(path: name.split(separator: "/")[0])
    var use = StoreUse(secret: scratch.secret)
    let document = use.attempts.value { () throws(PerennialError) in
      try ModelDocument(contentsOf: file)
    }
    guard let document else { return use.attempts }
    _ = use.attempts.value { () throws(PerennialError) in try document.contents }
    let container = use.attempts.value { () throws(PerennialError) in
      try PersistentContainer(name: "Damaged", model: document.model, store: .sqliteInMemory)
    }
    if let container {
      use.attempts.isOfWholeFile = true
      use.fill(container)
      use.use(container)
    }
    return use.attempts
  }

  private static let words: [[UInt8]] = {
    let deep = String(repeating: "<entity>", count: 10_000)
    let long = String(repeating: "a", count: 100_000)
    let wide = String(repeating: "<entity name=\"E\"/>", count: 2_000)
    let laughs = """
      <!DOCTYPE model [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
      <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d SYSTEM "file:///etc/passwd">]>
      """
    return [
      deep, long, wide, laughs, "&d;", "&#0;", "&#x110000;", "\"\"", "\"YES\"", "\"NO\"", "\"-1\"",
      "\"99999999999999999999\"", "\"nan\"", "\"1e999\"", "\"Transformable\"", "\"Composite\"",
      "\"Integer 16\"", "\"Decimal\"", "\"Date\"", "\"Binary\"", "\"URI\"", "\"UUID\"",
      "\"Undefined\"",
      "\"a'b&quot;c\"", "\"Z_PK\"", "\"z\"", "\"é\"", "\"SELECT\"", "\"a; DROP TABLE x\"",
      "\"self\"",
      "<attribute name=\"x\" attributeType=\"String\"/>", "optional=\"YES\"", "toMany=\"YES\"",
      "derived=\"YES\" derivationExpression=\"now()\"", "derivationExpression=\"a.b.@sum\"",
      "ordered=\"YES\"", "parentEntity=\"Entity\"", "isAbstract=\"YES\"", "minCount=\"9999999999\"",
      "regularExpressionString=\"((a+)+)+$\"", "minValueString=\"z\"", "defaultValueString=\"z\"",
      "<entity name=\"Twin\"><relationship name=\"r\" destinationEntity=\"Twin\"/></entity>",
      "</entity>", "<!--", "-->", "<![CDATA[", "]]>", "<?x?>", "<", ">", "/>", "=",
    ].map { Array($0.utf8) }
  }()
}
