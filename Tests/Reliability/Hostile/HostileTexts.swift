// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import FaultyFiles
import Foundation
import Perennial
import RandomTesting

/// Texts of users, whatever they contain: a text that is saved is found by itself, and by nothing else.
///
/// Meanwhile SQLite tells which tables and functions statements use: the names of the model, and ours.
struct HostileTexts: HostileJudge {
  private let mutator = TextMutator(seed: 0, formats: [])
  private let context: ManagedObjectContext
  /// The text of the former round, which is another one most often.
  private var former = ""

  /// Names that are SQL: the model is somebody else's, too.
  private static let entityName = "Order"
  private static let textName = "group"

  init(_ scratch: Scratch) throws {
    // A new store makes its tables, which may be anything; from then on, only these are used.
    try scratch.put([:])
    let file = scratch.stores.appending(path: "texts.sqlite")
    let model = try ManagedObjectModel(
      EntityDescription(
        Self.entityName,
        indexes: [[Self.textName]],
        properties: [
          .attribute(Self.textName, .string), .attribute("select", .int64, optional: true),
        ]
      )
    )
    func open() throws -> PersistentContainer {
      var store = StoreDescription.sqlite(file)
      store.durability = .survivesProcessDeathOnly
      return try PersistentContainer(name: "Texts", model: model, store: store)
    }
    do {
      let context = try open().newBackgroundContext()
      try context.insert(entityNamed: Self.entityName).setValue("", forKey: Self.textName)
      try context.save()
    }
    for name in Self.usedNames { watch_allow(name) }
    watch_tables()
    context = try open().newBackgroundContext()
  }

  /// What opening, fetching and saving use.
  private static let usedNames = [
    "ZORDER", "Z_PRIMARYKEY", "Z_METADATA", "sqlite_master",
    "pn_equal", "pn_order", "pn_contains", "pn_begins", "pn_ends", "pn_like", "pn_matches",
    "pn_length",
    // What a connection is told when it is opened.
    "encoding", "journal_mode", "synchronous", "cache_size", "query_only", "wal_autocheckpoint",
    "cell_size_check", "mmap_size", "schema_version", "count", "upper", "coalesce",
    "pragma_table_info", "table_info",
  ]

  mutating func judge(_ seed: UInt64) throws -> String? {
    var mutator = mutator.restarted(seed: seed)
    let text = mutator.userText()
    defer { former = text }
    var request = FetchRequest<ManagedObject>(entityName: Self.entityName)
    request.predicate = nil
    guard let object = try context.fetch(request).first else { return "the object is gone" }
    try object.setValue(text, forKey: Self.textName)
    try context.save()
    context.refreshAllObjects()
    guard let stored = try object.value(forKey: Self.textName) as? String, Self.isSame(stored, text)
    else { return "is not what was saved: \(text.debugDescription)" }
    if let problem = try ask(for: text, with: object) {
      return "\(problem): \(text.debugDescription)"
    }
    return usedName.map { "a statement \($0): \(text.debugDescription)" }
  }

  /// Asks for the object in SQL and in memory, by the text in all ways that give it as a value.
  private func ask(for text: String, with object: ManagedObject) throws -> String? {
    let key = Self.textName
    var predicates: [(String, FetchPredicate)] = [
      ("%@", FetchPredicate(format: "%K == %@", key, text)),
      ("parsed", try FetchPredicate(parsing: "%K == %@", arguments: [key, text])),
      ("IN", FetchPredicate(format: "%K IN %@", key, [text])),
      (
        "printed",
        try FetchPredicate(parsing: FetchPredicate(format: "%K == %@", key, text).description)
      ),
      ("folded", FetchPredicate(format: "%K ENDSWITH[cd] %@ OR %K == %@", key, text, key, text)),
    ]
    // No text begins or ends with the empty one.
    if !text.isEmpty {
      predicates.append(("BEGINSWITH", FetchPredicate(format: "%K BEGINSWITH %@", key, text)))
      predicates.append(("ENDSWITH", FetchPredicate(format: "%K ENDSWITH %@", key, text)))
    }
    for (name, predicate) in predicates {
      guard try count(predicate) == 1 else { return "is not found in SQL with \(name)" }
      guard try predicate.evaluate(with: [key: text]) else { return "is not found with \(name)" }
    }
    let expected = former == text ? 1 : 0
    guard try count(FetchPredicate(format: "%K == %@", key, former)) == expected else {
      return "is found by \(former.debugDescription)"
    }
    return nil
  }

  private func count(_ predicate: FetchPredicate) throws -> Int {
    var request = FetchRequest<ManagedObject>(entityName: Self.entityName)
    request.predicate = predicate
    return try context.count(for: request)
  }

  /// Whether texts have the same bytes, and not only the same meaning.
  private static func isSame(_ left: String, _ right: String) -> Bool {
    Array(left.utf8) == Array(right.utf8)
  }

  /// The first name that statements have used and that has nothing to do with the model.
  ///
  /// Safe because C writes no more than the room that it is given, and ends the text with a zero.
  private var usedName: String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 200) { room in
      guard let start = room.baseAddress, watch_found(start, room.count) else { return nil }
      return String(cString: start)
    }
  }
}
