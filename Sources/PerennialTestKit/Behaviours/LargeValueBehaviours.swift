// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension StoreBehaviour {
  /// Values that a store may keep in files of their own.
  static let largeValueBehaviours: [StoreBehaviour] = [
    StoreBehaviour("1A.6 large values: of every size around 128 KiB") { trial in
      let context = try trial.context()
      for size in sizes { try context.make("Attachment", attachment(size, 1)) }
      try context.save()
      try expectEqual(try contents(trial), sizes.map { bytes($0, 1) }, "The values")
    },
    StoreBehaviour("1A.6 large values: replaced, emptied, deleted") { trial in
      let context = try trial.context()
      let objects = try (0..<4).map { try context.make("Attachment", attachment(large + $0, 2)) }
      try context.save()
      try objects[0].setValue(bytes(large, 3), forKey: "file")
      try objects[1].setValue(bytes(8, 3), forKey: "file")
      try objects[2].setValue(nil, forKey: "file")
      context.delete(objects[3])
      try context.save()
      try expectEqual(try contents(trial), [bytes(large, 3), bytes(8, 3), nil], "The values")
      try objects[2].setValue(bytes(large, 4), forKey: "file")
      try context.save()
      try expectEqual(
        try contents(trial),
        [bytes(large, 3), bytes(8, 3), bytes(large, 4)],
        "The values"
      )
    },
    StoreBehaviour("1A.6 large values: what is rolled back, or not saved, is not there") { trial in
      let context = try trial.context()
      let object = try context.make("Attachment", attachment(large, 5))
      try context.save()
      try object.setValue(bytes(large, 6), forKey: "file")
      context.rollback()
      try expectEqual(try object.value(forKey: "file") as? Data, bytes(large, 5), "The value")
      let late = try trial.context()
      try late.all("Attachment").first?.setValue(bytes(large, 7), forKey: "file")
      try object.setValue(bytes(large, 8), forKey: "file")
      try context.save()
      try expectError(.managedObjectMerge, "The late save") { try late.save() }
      try expectEqual(try contents(trial), [bytes(large, 8)], "The values")
    },
    StoreBehaviour("1A.6 large values: they outlive the process", requires: .durable) { trial in
      do {
        let context = try trial.context()
        for size in sizes { try context.make("Attachment", attachment(size, 9)) }
        try context.save()
      }
      try trial.reopen()
      try expectEqual(try contents(trial), sizes.map { bytes($0, 9) }, "The values")
      do {
        let context = try trial.context()
        for object in try context.all("Attachment") {
          try object.setValue(bytes(large, 10), forKey: "file")
        }
        try context.save()
      }
      try trial.reopen()
      try expectEqual(
        try contents(trial),
        sizes.map { _ in bytes(large, 10) },
        "The values that replaced them"
      )
    },
  ]

  private static let large = 128 * 1024 + 1
  private static let sizes = [0, 128 * 1024 - 1, 128 * 1024, large]

  private static func bytes(_ count: Int, _ seed: UInt8) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) ^ seed })
  }

  private static func attachment(
    _ count: Int,
    _ seed: UInt8
  ) -> KeyValuePairs<String, (any Sendable)?> {
    ["size": count, "file": bytes(count, seed)]
  }

  /// What another context reads, in the order of the sizes that were inserted.
  private static func contents(_ trial: Trial) throws -> [Data?] {
    var request = FetchRequest<ManagedObject>(entityName: "Attachment")
    request.sortDescriptors = [FetchSort("size")]
    return try trial.context().fetch(request).map { try $0.value(forKey: "file") as? Data }
  }
}
