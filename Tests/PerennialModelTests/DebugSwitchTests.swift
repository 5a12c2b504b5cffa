// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialStore
import Testing

@Suite("Switches of the environment and of the arguments")
struct DebugSwitchTests {
  @Test(
    arguments: [
      (nil, [], nil), ("1", [], .statements), ("2", [], .times), ("3", [], .values),
      ("4", [], .plans), ("0", [], .off), ("9", [], .plans), ("-1", [], .off), ("yes", [], nil),
      ("", [], nil), (nil, ["app", "-com.apple.CoreData.SQLDebug", "1"], .statements),
      ("4", ["app", "-com.apple.CoreData.SQLDebug", "0"], .off),
      (nil, ["-com.apple.CoreData.SQLDebug"], nil),
      ("2", ["-com.apple.CoreData.SQLDebug", "much"], .times),
    ] as [(String?, [String], LogLevel?)]
  )
  func `1L.1 a number says how much of the statements is logged`(
    variable: String?,
    arguments: [String],
    level: LogLevel?
  ) {
    let environment = variable.map { ["PERENNIAL_SQL_DEBUG": $0] } ?? [:]
    #expect(DebugSwitches(environment: environment, arguments: arguments).sql == level)
  }

  @Test func `1L.1 migration and concurrency have switches of their own`() {
    let none = DebugSwitches(environment: ["PERENNIAL_SQL_DEBUG": "4"], arguments: [])
    #expect(!none.migration && !none.concurrency)
    let variables = ["PERENNIAL_MIGRATION_DEBUG": "1", "PERENNIAL_CONCURRENCY_DEBUG": "1"]
    let both = DebugSwitches(environment: variables, arguments: [])
    #expect(both.migration && both.concurrency && both.sql == nil)
    let arguments = ["-com.apple.CoreData.ConcurrencyDebug", "1"]
    let one = DebugSwitches(environment: [:], arguments: arguments)
    #expect(!one.migration && one.concurrency)
  }

  @Test func `1L.1 a description goes before the environment`() {
    let switches = DebugSwitches(environment: ["PERENNIAL_SQL_DEBUG": "3"], arguments: [])
    var store = StoreDescription.inMemory
    #expect(EventLog(store, switches: switches).level == .values)
    #expect(EventLog(store, switches: DebugSwitches()).level == .off)
    store.log = { _ in }
    #expect(EventLog(store, switches: DebugSwitches()).level == .times)
    store.logLevel = .off
    #expect(EventLog(store, switches: switches).level == .off)
  }

  @Test func `1L.1 a line has Core Data's form`() {
    #expect(LogEvent(.sql, "SELECT 1").description == "sql: SELECT 1")
    #expect("\(LogEvent(.annotation, "x").kind)" == "annotation")
  }
}
