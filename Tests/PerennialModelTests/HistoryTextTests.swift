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

  @Test func `a record of nothing is empty`() throws {
    let model = try ManagedObjectModel(EntityDescription("A", properties: [])).layout
    let record = HistoryRecord(HistoryDraft(), of: model)
    #expect(record.text() == HistoryRecord.emptyText)
  }
}
