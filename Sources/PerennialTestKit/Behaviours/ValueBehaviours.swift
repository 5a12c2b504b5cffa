// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

extension StoreBehaviour {
  /// Every attribute type gives back what it was given.
  static let valueBehaviours: [StoreBehaviour] =
    ValueSamples.all.map { type, what, value in
      StoreBehaviour("1A.5 attribute types: \(type) keeps \(what)") { trial in
        try roundTrip(value, type, trial)
      }
    }
    + AttributeType.storable.map { type in
      StoreBehaviour("1A.5 attribute types: \(type) becomes nothing again") { trial in
        let sample = try required(ValueSamples.all.first { $0.0 == type }, "A sample")
        let context = try trial.context()
        let object = try context.insert(entityNamed: "Value")
        try object.setValue(sample.2.plain, forKey: "\(type)")
        try context.save()
        try object.setValue(nil, forKey: "\(type)")
        try context.save()
        try expectStored(.null, type, in: 1, trial)
      }
    }

  /// Saves a value in a new object and in a changed one, and reads both.
  private static func roundTrip(
    _ value: PropertyValue,
    _ type: AttributeType,
    _ trial: Trial
  ) throws {
    if trial.store.refusesNUL, case .string(let text) = value, text.utf8.contains(0) {
      try expectError(.validation, "A text with a NUL") {
        try insertAndUpdate(value, type, trial)
      }
      return
    }
    try insertAndUpdate(value, type, trial)
    try expectStored(value, type, in: 2, trial)
    guard trial.store.capabilities.contains(.durable) else { return }
    try trial.reopen()
    try expectStored(value, type, in: 2, trial)
  }

  private static func insertAndUpdate(
    _ value: PropertyValue,
    _ type: AttributeType,
    _ trial: Trial
  ) throws {
    let context = try trial.context()
    let changed = try context.insert(entityNamed: "Value")
    try context.save()
    let inserted = try context.insert(entityNamed: "Value")
    for object in [changed, inserted] { try object.setValue(value.plain, forKey: "\(type)") }
    try context.save()
  }

  private static func expectStored(
    _ value: PropertyValue,
    _ type: AttributeType,
    in count: Int,
    _ trial: Trial
  ) throws {
    let context = try trial.context()
    for object in try context.all("Value") {
      let values = object.isFault ? try loaded(object) : object.committedValues()
      let found = try required(values["\(type)"], "The value")
      try expectEqual(found, value, "The value that was saved")
    }
    try expectEqual(try context.count("Value"), count, "The number of objects that were saved")
  }

  private static func loaded(_ object: ManagedObject) throws -> [String: PropertyValue] {
    _ = try object.value(forKey: "int16")
    return object.committedValues()
  }
}
