// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel

/// What the hooks of a test's objects do and note.
final class HookLog {
  var lines: [String] = []
  var onAwakeFromFetch: ((Hooked) throws -> Void)?
  var onPrepareForDeletion: ((Hooked) throws -> Void)?
  var onWillSave: ((Hooked) throws -> Void)?
  var onValidateForInsert: ((Hooked) throws -> Void)?
  var onValidateForUpdate: ((Hooked) throws -> Void)?
  var onDidSave: ((Hooked) throws -> Void)?
  var errors: [any Error] = []

  func run(_ body: ((Hooked) throws -> Void)?, _ object: Hooked) {
    do {
      try body?(object)
    } catch {
      errors.append(error)
    }
  }
}

/// An object that tells a log of every hook.
///
/// Safe because the log is set and read by one test at a time, in its own task.
final class Hooked: ManagedObject, ManagedEntity {
  @TaskLocal static var box = LogBox(nil)

  /// Carries a log into a task-local value.
  struct LogBox: @unchecked Sendable {
    // Safe because only the task that binds the value uses it.
    let log: HookLog?
    init(_ log: HookLog?) { self.log = log }
  }

  var log: HookLog? { Self.box.log }

  var title: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var count: Int {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var mark: Int {
    get { _get(2) }
    set { _set(2, newValue) }
  }
  var owner: Hooked? {
    get { _get(3) }
    set { _set(3, newValue) }
  }
  var parts: ToMany<Hooked> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Hooked.self,
        named: "Hooked",
        superclass: ManagedObject.self,
        properties: [
          .of("title", String.self, default: "new"), .of("count", Int.self, default: 0),
          .of("mark", Int.self, default: 0, isTransient: true),
          .of("owner", (Hooked?).self, inverse: "parts"),
          .of("parts", ToMany<Hooked>.self, inverse: "owner", deleteRule: .cascade),
        ]
      )
    }
    return Storage.entity
  }

  private func note(_ line: String) { log?.lines.append("\(line) \(title)") }

  override func awakeFromInsert() { note("awakeFromInsert") }
  override func awakeFromFetch() {
    note("awakeFromFetch")
    log?.run(log?.onAwakeFromFetch, self)
  }
  override func willSave() {
    note("willSave")
    log?.run(log?.onWillSave, self)
  }
  override func didSave() {
    note("didSave")
    log?.run(log?.onDidSave, self)
  }
  override func prepareForDeletion() {
    note("prepareForDeletion(\(parts.count))")
    log?.run(log?.onPrepareForDeletion, self)
  }
  override func validateForInsert() throws {
    note("validateForInsert")
    log?.run(log?.onValidateForInsert, self)
    try super.validateForInsert()
  }
  override func validateForUpdate() throws {
    note("validateForUpdate")
    log?.run(log?.onValidateForUpdate, self)
    try super.validateForUpdate()
  }
  override func validateForDelete() throws {
    note("validateForDelete")
    try super.validateForDelete()
  }
}

/// Runs a test with a log.
func withHooks(_ kind: StoreKind, _ body: (Bench, HookLog) throws -> Void) throws {
  let log = HookLog()
  let bench = try Bench(
    kind,
    model: ManagedObjectModel(Hooked.entity),
    classes: [Hooked.self]
  )
  try Hooked.$box.withValue(Hooked.LogBox(log)) { try body(bench, log) }
}
