// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import Testing

@Suite("The text of a history")
struct HistoryTextTests {
  /// What is put together by hand is what the coder writes, also of names beyond ASCII, which it leaves to the coder.
  @Test(arguments: ["commit", "größe", "a_1", "名"])
  func `a record of keys has the text that the coder writes`(name: String) throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "A",
        properties: [.attribute(name, .string), .attribute("b", .string)]
      ),
      EntityDescription("B", properties: [.attribute("b", .string)])
    ).layout
    let recorder = HistoryRecorder(model: model, keepsOldValues: false)
    recorder.noteInsertion(of: 0, [1, 2, 3, 9, 1_000_000_000_000])
    recorder.noteUpdate(of: 0, [0, 1], [4])
    recorder.noteUpdate(of: 1, [0], [7, 8])
    recorder.noteDeletion(of: 1, 1)
    let draft = try recorder.draft { (_, _) throws(PerennialError) in [:] }
    let record = HistoryRecord(draft, of: model)
    let coded = try #require(HistoryJSON.encode(record))
    #expect(record.text() == String(decoding: coded, as: UTF8.self))
    #expect(HistoryRecord(text: record.text() ?? "")?.count == record.count)
  }

  @Test func `runs of more keys than are read have no changes, keys that no row has no record`() {
    func text(_ runs: String) -> String {
      "{\"batches\":[{\"entity\":\"A\",\"properties\":[],\"runs\":[\(runs)],\"type\":0}]}"
    }
    #expect(HistoryRecord(text: text("[1,10000000]"))?.count == 10_000_000)
    let last = HistoryRecord(text: text("[140737488355327,140737488355327]"))
    #expect(last?.count == 1)
    for runs in ["[1,10000001]", "[1,9000000],[9000002,10000002]"] {
      let record = HistoryRecord(text: text(runs))
      #expect(record?.count == 10_000_001, "\(runs)")
      #expect(record?.changes(from: 1, store: UUID()).isEmpty == true, "\(runs)")
    }
    for runs in [
      "[1,9223372036854775807]",
      "[140737488355328,140737488355328]", "[0,1]", "[2,1]", "[1]",
    ] {
      #expect(HistoryRecord(text: text(runs)) == nil, "\(runs)")
    }
  }

  @Test func `a record of nothing is empty`() throws {
    let model = try ManagedObjectModel(EntityDescription("A", properties: [])).layout
    let record = HistoryRecord(HistoryDraft(), of: model)
    #expect(record.text() == HistoryRecord.emptyText)
  }
}
