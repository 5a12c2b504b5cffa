// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialPostgres

#if PostgreSQL
@Managed final class SharedCounter: ManagedObject {
  @Unique var name: String
  var value: Int = 0
}

/// One save of a peer: its name occurs once, or the save was done twice.
@Managed final class CounterStep: ManagedObject {
  var name: String
  var counter: String
}

/// A program that raises counters in a store on PostgreSQL, as others do at the same time.
struct CounterPeer {
  private static let counterCount = 8

  let container: PersistentContainer
  let name: String

  init(_ url: URL, name: String) throws {
    self.name = name
    container = try PersistentContainer(
      name: "Counters",
      entities: SharedCounter.self,
      CounterStep.self,
      store: .postgres(url)
    )
  }

  /// Opens the store, again when the connection is lost meanwhile.
  static func opened(_ url: URL, name: String) throws -> CounterPeer {
    while true {
      do throws(any Error) {
        return try CounterPeer(url, name: name)
      } catch {
        let lost: [PerennialError.Code] = [.connectionLost, .saveOutcomeUnknown]
        guard let error = error as? PerennialError, lost.contains(error.code) else { throw error }
        Thread.sleep(forTimeInterval: 0.02)
      }
    }
  }

  /// Makes the counters.
  func prepare() throws {
    let context = container.newBackgroundContext()
    for number in 0..<Self.counterCount { SharedCounter(context: context).name = "\(number)" }
    try context.save()
  }

  /// Raises a counter with each save, and adds a step that says which.
  ///
  /// - Parameters:
  ///   - saves: How often.
  ///   - tell: Is told each step that the store has acknowledged.
  /// - Throws: What is neither a conflict nor a lost connection.
  func run(_ saves: Int, _ tell: (String) -> Void) throws {
    let context = container.newBackgroundContext()
    var number = 0
    var counter = ""
    while number < saves {
      do throws(any Error) {
        if !context.hasChanges {
          counter = "\(Int.random(in: 0..<Self.counterCount))"
          guard let shared = try context.first(SharedCounter.filter("name == \(counter)")) else {
            throw CocoaError(.fileNoSuchFile)
          }
          shared.value += 1
          let step = CounterStep(context: context)
          (step.name, step.counter) = ("\(name) \(number)", counter)
        }
        try context.save()
        tell("\(name) \(number)")
        number += 1
      } catch {
        guard let error = error as? PerennialError else { throw error }
        switch error.code {
        // Another one was quicker.
        case .managedObjectMerge: context.rollback()
        // The same changes once more.
        case .connectionLost, .saveOutcomeUnknown: Thread.sleep(forTimeInterval: 0.02)
        default: throw error
        }
      }
    }
  }
}
#endif

/// `counter-peer URL NAME SAVES`; without saves it makes the store.
@main
struct CounterProgram {
  static func main() throws {
    #if PostgreSQL
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let url = URL(string: arguments[1]), let saves = Int(arguments[3])
    else { exit(2) }
    let peer = try CounterPeer.opened(url, name: arguments[2])
    if saves == 0 { return try peer.prepare() }
    try peer.run(saves) { FileHandle.standardOutput.write(Data("\($0)\n".utf8)) }
    #else
    // It needs the trait.
    exit(2)
    #endif
  }
}
