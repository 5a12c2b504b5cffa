// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import Perennial

/// What a request finds, as a table of text: one line for each object.
///
/// ```swift
/// let table = try GraphTable(of: request, in: context, properties: ["sha", "author.name"])
/// ```
///
/// Text appears as it is, an absent value as `nil`, a date in the form of ISO 8601, data as the number of
/// its bytes, an object as its entity and key, a to-many relationship as the number of its members. The
/// columns are as wide as they have to be.
public struct GraphTable: Sendable, Hashable, CustomStringConvertible {
  /// The names of the properties.
  public let columns: [String]
  /// The values as text, line by line.
  public let rows: [[String]]

  /// Fetches objects, and makes a table of them.
  ///
  /// - Parameters:
  ///   - request: What to fetch; with sorts, so that the order is always the same.
  ///   - context: Where to fetch.
  ///   - properties: The names of properties, or paths through to-one relationships.
  /// - Throws: The error of the fetch; `unknownName` (200003) for a path that leads nowhere; `typeMismatch`
  ///   (200004) for a path that leads on from many objects.
  public init<Object: ManagedObject>(
    of request: FetchRequest<Object>,
    in context: ManagedObjectContext,
    properties: [String]
  ) throws {
    let objects = try context.fetch(request)
    // The same name may lead elsewhere in every subentity.
    let entities = [request.entityName] + Set(objects.map(\.entityDescription.name)).sorted()
    for path in properties where path.contains(".") {
      try Self.check(path, of: entities, in: context)
    }
    columns = properties
    rows = try objects.map { object in
      try properties.map { try Self.text(at: $0, of: object) }
    }
  }

  /// The table, without spaces at the ends of lines.
  public var description: String {
    let lines = [columns] + rows
    let widths = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      let cells = zip(line, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }
      let text = cells.joined(separator: "  ")
      return String(text.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }

  /// Throws when a path leads nowhere from any of some entities, which an object with nothing on the way does not tell.
  private static func check(
    _ path: String,
    of entityNames: [String],
    in context: ManagedObjectContext
  ) throws(PerennialError) {
    var failure: PerennialError?
    for entityName in entityNames {
      do throws(PerennialError) {
        try checkCondition(on: path, of: entityName, in: context)
        return
      } catch {
        // A transient attribute has values, though nothing can be fetched by it.
        if error.message.contains("is transient") { return }
        // Many are counted at the end of a path, and lead no further.
        let way = path.split(separator: ".").dropLast().joined(separator: ".")
        if error.code == .typeMismatch,
          (try? checkCondition(on: way, of: entityName, in: context)) != nil
        {
          return
        }
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Throws when no condition can be written on what a path leads to, as it is no property, or many.
  private static func checkCondition(
    on path: String,
    of entityName: String,
    in context: ManagedObjectContext
  ) throws(PerennialError) {
    var request = FetchRequest<ManagedObject>(entityName: entityName)
    request.predicate = FetchPredicate(format: "%K == nil", path)
    _ = try context.explain(request)
  }

  private static func text(at path: String, of object: ManagedObject) throws -> String {
    let steps = path.split(separator: ".", maxSplits: 1).map(String.init)
    guard steps.count == 2 else { return text(of: try object.value(forKey: path)) }
    let next: ManagedObject?
    do throws(PerennialError) {
      next = try object.object(forKey: steps[0])
    } catch {
      guard error.code == .unknownName || error.code == .typeMismatch else { throw error }
      // No to-one relationship: an element of a composite attribute, or nothing.
      return text(of: try object.value(forKey: path))
    }
    return try next.map { try text(at: steps[1], of: $0) } ?? "nil"
  }

  private static func text(of value: (any Sendable)?) -> String {
    switch value {
    case nil: "nil"
    case let date as Date: date.formatted(.iso8601)
    case let data as Data: "\(data.count) bytes"
    case let ids as [ManagedObjectID]: "\(ids.count)"
    case let value?: "\(value)"
    }
  }
}
