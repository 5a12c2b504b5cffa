// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import ConsoleStore
import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore

/// `perennial dump`: prints the rows of an entity.
struct DumpCommand {
  private let terminal: Terminal
  private let path: String
  private let modelPath: String?
  private let entityName: String
  private let isExact: Bool
  private let format: String?
  private let sorts: [FetchSort]
  private let limit: Int?
  private let isJSON: Bool

  init(_ arguments: ParsedArguments, _ terminal: Terminal) throws {
    self.terminal = terminal
    path = arguments.word(ToolArguments.store)
    modelPath = arguments[ToolArguments.modelFile]
    let names = arguments.all(ToolArguments.entity)
    guard names.count < 2 else {
      throw CommandFailure.usage(
        "'--entity' is given more than once, and 'dump' prints the rows of one entity",
        "Run 'perennial dump' once for each entity."
      )
    }
    guard let name = names.first else {
      throw CommandFailure.usage(
        "'--entity' is missing: it names the entity whose rows are printed",
        "Run 'perennial inspect' to see a store's entities."
      )
    }
    entityName = name
    isExact = arguments[ToolArguments.exactEntity]
    format = arguments[ToolArguments.format]
    sorts = try Self.sorts(arguments.all(ToolArguments.sort))
    limit = arguments[ToolArguments.limit]
    isJSON = arguments[CommonOptions.json]
  }

  private static func sorts(_ texts: [String]) throws(CommandFailure) -> [FetchSort] {
    var sorts: [FetchSort] = []
    for key in texts.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
      let name = key.hasPrefix("-") ? key.dropFirst() : key
      guard !name.isEmpty else {
        throw .usage("'--sort' has an empty key", "Write: --sort KEY, --sort -KEY or --sort A,-B")
      }
      sorts.append(FetchSort(String(name), ascending: !key.hasPrefix("-")))
    }
    return sorts
  }

  /// How many rows a table has unless another number was given.
  private static let usualLimit = 50

  func run() throws {
    // A format that cannot be read is reported before the store is looked for.
    var predicate: FetchPredicate?
    try CommandFailure.explainingFormat(of: "where") {
      predicate = try format.map { try FetchPredicate(parsing: $0) }
    }
    let file = try StoreFile(path)
    let loaded = try LoadedModel(of: file, in: modelPath)
    let store = try file.open(loaded.model)
    var query = StoreQuery(entity: 0)
    try CommandFailure.explainingFormat(of: "entity") {
      query.entity = try store.model.entity(named: entityName).index
    }
    query.includesSubentities = !isExact
    let checker = QueryChecker(store.model)
    query.predicate = predicate
    try CommandFailure.explainingFormat(of: "where") { try checker.check(query) }
    query.sorts = sorts
    try CommandFailure.explainingFormat(of: "sort") { try checker.check(query) }
    query.limit = limit ?? (isJSON ? 0 : Self.usualLimit)
    try CommandFailure.explainingFormat(of: format == nil ? nil : "where") {
      if isJSON { try printJSON(query, store) } else { try printTable(query, store) }
    }
    try file.finish()
    try StoreFile.checkKeys(of: store)
  }

  private func printJSON(_ query: StoreQuery, _ store: any RowStore) throws {
    var writer = JSONArrayWriter(terminal.output)
    try RowReader(store).read(query) { try writer.append($0.json) }
    try writer.finish()
  }

  private func printTable(_ query: StoreQuery, _ store: any RowStore) throws {
    var printer = RowPrinter(terminal, entity: store.model.entities[query.entity], store.model)
    try RowReader(store).read(query) { try printer.print($0) }
    try printer.finish()
    guard query.limit > 0, printer.count == query.limit else { return }
    var all = query
    all.limit = 0
    all.sorts = []
    let total = try store.count(all)
    guard total > printer.count else { return }
    terminal.note(
      "\(printer.count.grouped) of \(total.counted("row")). Add '--limit 0' to see all."
    )
  }
}
