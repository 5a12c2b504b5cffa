// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import RandomTesting

/// A random operation; its numbers choose among what exists when it runs, so that any subsequence of
/// a sequence is one too.
enum GraphStep: Sendable {
  case insert(entity: Int)
  case setName(Int, length: Int)
  case setNumber(Int, value: Int?)
  case setOne(Int, relationship: Int, target: Int?)
  case insertMember(Int, relationship: Int, member: Int)
  case removeMember(Int, relationship: Int, member: Int)
  case replace(Int, relationship: Int, members: [Int])
  case move(Int, relationship: Int, from: Int, to: Int)
  case insertAt(Int, relationship: Int, member: Int, at: Int)
  case delete(Int)
  case save
  case rollback
  case fetch
  /// Lets go of all objects: from now on they are found by their IDs.
  case forget
  case reread
  case check
  /// In every context.
  case checkAll
  case undo
  case redo
  case undoAll
  case redoAll
  case group(begins: Bool)
  case process
  case refresh(Int, merges: Bool)
  case refreshAll
  case reset
  /// Two other contexts change an object and save.
  case conflict(Int, choice: Int)

  static func random(using generator: inout SeededGenerator) -> GraphStep {
    func number() -> Int { Int.random(in: 0..<1000, using: &generator) }
    switch Int.random(in: 0..<125, using: &generator) {
    case 0..<14: return .insert(entity: number())
    case 14..<20: return .setName(number(), length: [0, 1, 7, 40, 300][number() % 5])
    case 20..<24: return .setNumber(number(), value: number() % 4 == 0 ? nil : number() % 3)
    case 24..<38:
      return .setOne(
        number(),
        relationship: number(),
        target: number() % 5 == 0 ? nil : number()
      )
    case 38..<54: return .insertMember(number(), relationship: number(), member: number())
    case 54..<62: return .removeMember(number(), relationship: number(), member: number())
    case 62..<67:
      let members = (0..<number() % 5).map { _ in number() }
      return .replace(number(), relationship: number(), members: members)
    case 67..<72: return .move(number(), relationship: number(), from: number(), to: number())
    case 72..<76:
      return .insertAt(number(), relationship: number(), member: number(), at: number())
    case 76..<81: return .delete(number())
    case 81..<87: return .save
    case 87..<89: return .rollback
    case 89..<92: return .fetch
    case 92..<95: return .forget
    case 95..<97: return .reread
    case 97..<100: return .check
    case 100..<105: return .undo
    case 105..<109: return .redo
    case 109..<112: return .group(begins: number() % 2 == 0)
    case 112..<115: return .process
    case 115..<119: return .refresh(number(), merges: number() % 2 == 0)
    case 119..<121: return .refreshAll
    case 121..<122: return .reset
    default: return .conflict(number(), choice: number())
    }
  }
}
