// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialPostgres
import ServerTesting

/// A vector's object in a store of its own, which is asked for it.
struct VectorStore {
  /// What came of asking the stores.
  enum Outcome: Equatable {
    /// The answer of both stores, and whether the engine gave it by its statement alone.
    case answered(String, inSQL: Bool)
    /// The stores do not agree.
    case different(String)
    /// The object cannot be stored, or the predicate does not fit a model, and why.
    case skipped(String)
  }

  /// The types that an attribute without a value may have; the first that the predicate fits counts.
  private static let untyped: [AttributeType] = [.string, .int64, .date, .binaryData, .uuid, .bool]

  /// A folder for hundreds of small stores, in memory where the system has one: there is nothing to
  /// be learnt here from waiting for the disk.
  private static let scratch: URL = {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isUsable = FileManager.default.isWritableFile(atPath: memory.path())
    return isUsable ? memory : FileManager.default.temporaryDirectory
  }()

  /// Asks both stores whether the vector's object satisfies its predicate.
  static func outcome(_ vector: Vector, _ predicate: FetchPredicate) throws -> Outcome {
    guard let object = vector.object.members else { return .skipped("the object is no dictionary") }
    let variables = (vector.vars ?? [:]).mapValues(\.argument)
    let bound = predicate.withSubstitutionVariables(variables)
    let keys = try PredicateKeys(of: bound)
    var latest = Outcome.skipped("")
    for type in untyped {
      do {
        let model = try VectorModel.model(of: object, keys: keys, untyped: type)
        latest = try outcome(object, bound, model)
      } catch let error as VectorModel.Unstorable {
        return .skipped(error.reason)
      } catch let error as PerennialError {
        // No model has such names, or no attribute such values.
        return .skipped(error.message)
      }
      if case .skipped = latest { continue }
      return latest
    }
    return latest
  }

  private static func outcome(
    _ object: [String: JSONValue],
    _ predicate: FetchPredicate,
    _ model: ManagedObjectModel
  ) throws -> Outcome {
    let folder = scratch.appending(path: "vector-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let memory = try answer(object, predicate, model, .inMemory)
    let engine = try answer(object, predicate, model, engine(in: folder))
    guard memory.text == engine.text else {
      return .different("\(memory.text) in memory, \(engine.text) in SQL")
    }
    if let error = memory.error { return .skipped(error) }
    return .answered(memory.text, inSQL: engine.isWhole)
  }

  /// A store with an engine of its own: SQLite, or with `PERENNIAL_STORES=postgres` a server.
  private static func engine(in folder: URL) throws -> StoreDescription {
    #if PostgreSQL
    if ServerSchema.isWanted { return .postgres(try ServerSchema.empty()) }
    #endif
    return .sqlite(folder.appending(path: "Store.sqlite"))
  }

  private struct Answer {
    var text: String
    var error: String?
    var isWhole = false
  }

  private static func answer(
    _ object: [String: JSONValue],
    _ predicate: FetchPredicate,
    _ model: ManagedObjectModel,
    _ store: StoreDescription
  ) throws -> Answer {
    let container = try PersistentContainer(name: "Vector", model: model, store: store)
    let writer = container.newBackgroundContext()
    _ = try insert(object, "Root", model, writer)
    try writer.save()
    let context = container.newBackgroundContext()
    var request = FetchRequest<ManagedObject>(entityName: "Root")
    request.predicate = predicate
    do {
      let count = try context.fetch(request).count
      let explanation = try context.explain(request)
      return Answer(text: "\(count == 1)", isWhole: explanation.inMemory.isEmpty)
    } catch {
      return Answer(text: "error \(error.code)", error: error.message)
    }
  }

  private static func insert(
    _ values: [String: JSONValue],
    _ entity: String,
    _ model: ManagedObjectModel,
    _ context: ManagedObjectContext
  ) throws -> ManagedObject {
    let object = try context.insert(entityNamed: entity)
    let properties = Set(model.entities.first { $0.name == entity }?.properties.map(\.name) ?? [])
    for (key, value) in values where properties.contains(key) && !value.isNull {
      let members: [JSONValue]
      switch value.shape {
      case .attribute:
        try object.setValue(value.argument, forKey: key)
        continue
      case .object: members = [value]
      case .objects: members = value.elements
      case .unstorable: continue
      }
      for member in members {
        let child = try insert(member.members ?? [:], "\(entity)_\(key)", model, context)
        try child.setObject(object, forKey: VectorModel.owner)
      }
    }
    return object
  }
}
