// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModelFiles

/// Models, as Xcode saves and compiles them, whose files are damaged; what can be read makes a store, or is a
/// newer version of the model that a store has.
struct ModelVictim: Victim {
  let kind = "models"
  private let scratch: Scratch
  private let originals: [ManagedObjectModel]
  private let texts: [[UInt8]]
  private let values: ValueDamage
  private let compiled: [[UInt8]]

  init(in scratch: Scratch) throws {
    self.scratch = scratch
    let readable = try Fixtures.models.compactMap { file -> (ManagedObjectModel, [UInt8])? in
      let text = Array(try Data(contentsOf: file))
      guard text.count < 60_000,
        let document = try? ModelDocument(contentsOf: file.deletingLastPathComponent())
      else { return nil }
      return (document.model, text)
    }
    (originals, texts) = (readable.map(\.0), readable.map(\.1))
    values = ValueDamage(texts, strangers: Self.words.filter { $0.first == UInt8(ascii: "\"") })
    compiled = try Fixtures.compiledModels.map { Array(try Data(contentsOf: $0)) }
  }

  func attack(_ chance: inout Chance) throws -> Attempts {
    let name: String
    var bytes: [UInt8]
    var original: ManagedObjectModel?
    if chance.once(in: 3) {
      name = "model.mom"
      bytes = chance.one(of: compiled)
      ByteDamage.damage(&bytes, &chance)
    } else {
      name = "model.xcdatamodel/contents"
      let number = chance.below(texts.count)
      if chance.once(in: 2) { original = originals[number] }
      bytes = damagedText(number, &chance)
    }
    try scratch.put([name: Data(bytes)])
    let file = scratch.stores.appending(path: name.split(separator: "/")[0])
    var use = StoreUse(secret: scratch.secret)
    let document = use.attempts.value { () throws(PerennialError) in
      try ModelDocument(contentsOf: file)
    }
    guard let document else { return use.attempts }
    _ = use.attempts.value { () throws(PerennialError) in try document.contents }
    use.attempts.isOfWholeFile = true
    let stores =
      original.map { oldStores(of: $0, problem: &use.attempts.problem) }
      ?? [.inMemory, .sqliteInMemory]
    let answers = stores.map { self.answers(of: document.model, $0, &use) }
    guard let ours = answers.first, let theirs = answers.last else { return use.attempts }
    for (question, answer) in ours where theirs[question] != answer {
      let other = theirs[question] ?? "nothing"
      use.attempts.problem = "\(question): \(answer), and \(other) in the other kind of store"
    }
    return use.attempts
  }

  /// What a store of a model answers after it was filled and used; nothing where it cannot be opened.
  private func answers(
    of model: ManagedObjectModel,
    _ store: StoreDescription,
    _ use: inout StoreUse
  ) -> [String: String] {
    let container = use.attempts.value { () throws(PerennialError) in
      try PersistentContainer(name: "Damaged", model: model, store: store)
    }
    guard let container else { return [:] }
    use.fill(container)
    let answers = use.ask(container)
    use.use(container)
    use.follow(container)
    return answers.merging(use.changeAll(in: container)) { first, _ in first }
  }

  private func damagedText(_ number: Int, _ chance: inout Chance) -> [UInt8] {
    if chance.once(in: 2) { return values.damagedText(number, &chance) }
    var bytes = texts[number]
    if chance.once(in: 3) {
      ByteDamage.damage(&bytes, &chance)
    } else {
      TextDamage.damage(&bytes, Self.words, &chance)
    }
    return bytes
  }

  /// A JSON and a SQLite store with objects of a model that is not damaged; none where none can be made of it.
  private func oldStores(
    of model: ManagedObjectModel,
    problem: inout String?
  ) -> [StoreDescription] {
    let kinds: [StoreDescription] = [
      .json(scratch.stores.appending(path: "old.json")),
      .sqlite(scratch.stores.appending(path: "old.sqlite")),
    ]
    var stores: [StoreDescription] = []
    for var store in kinds {
      store.durability = .survivesProcessDeathOnly
      guard let container = try? PersistentContainer(name: "Damaged", model: model, store: store)
      else { return [] }
      // What ends well here shows nothing of the damaged model; what goes wrong counts all the same.
      var use = StoreUse(secret: scratch.secret)
      use.fill(container)
      problem = problem ?? use.attempts.problem
      stores.append(store)
    }
    return stores
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
