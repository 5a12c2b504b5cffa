// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// What many contexts write at the same time.
@Managed final class Account: ManagedObject {
  @Unique var name: String
  var balance: Int = 0
  var transferCount: Int = 0
}

/// One save of a writer: its name is there once, or the save was lost or done twice.
@Managed final class Transfer: ManagedObject {
  var name: String
  var amount: Int = 0
  var from: Account?
}

/// Accounts in a store of their own, whose balances always sum up to zero.
struct Bank: Sendable {
  /// How many accounts there are: so few that writers meet.
  static let accountCount = 40

  let container: PersistentContainer

  /// A bank in a store, which is made when it is missing.
  init(_ store: StoreDescription) throws {
    var store = store
    store.busyTimeout = .seconds(120)
    container = try PersistentContainer(
      name: "Bank",
      entities: Account.self,
      Transfer.self,
      store: store
    )
  }

  func found() throws {
    let context = container.newBackgroundContext()
    for number in 0..<Self.accountCount { Account(context: context).name = "\(number)" }
    try context.save()
  }

  /// Moves money so often, each time in one save, in a context of its own.
  ///
  /// - Parameters:
  ///   - writer: The name of the transfers.
  ///   - saves: How many saves are to succeed.
  ///   - acknowledge: Is told the name of each transfer that was saved.
  /// - Returns: How many saves met another writer, and were done again.
  /// - Throws: Whatever is no conflict.
  func write(_ writer: String, saves: Int, _ acknowledge: (String) -> Void) throws -> Int {
    let context = container.newBackgroundContext()
    var conflictCount = 0
    var number = 0
    while number < saves {
      let names = (0..<Self.accountCount).map(String.init).shuffled().prefix(2)
      let accounts = try context.fetch(Account.filter("name IN \(Array(names))"))
      let amount = Int.random(in: 1...100)
      accounts[0].balance -= amount
      accounts[0].transferCount += 1
      accounts[1].balance += amount
      let transfer = Transfer(context: context)
      (transfer.name, transfer.amount, transfer.from) = ("\(writer) \(number)", amount, accounts[0])
      let name = transfer.name
      do throws(any Error) {
        try context.save()
        acknowledge(name)
        number += 1
      } catch {
        guard case PerennialError.conflict = error else { throw error }
        conflictCount += 1
        context.rollback()
        context.refreshAllObjects()
      }
    }
    return conflictCount
  }

  /// What a reader sees of all accounts in one fetch.
  func isBalanced() throws -> Bool {
    let context = container.newBackgroundContext()
    let accounts = try context.fetch(Account.all)
    return accounts.count == Self.accountCount && accounts.reduce(0) { $0 + $1.balance } == 0
  }

  /// The names of all transfers that are stored, and how many the accounts know of.
  func transfers() throws -> (names: [String], counted: Int) {
    let context = container.newBackgroundContext()
    return (
      try context.fetch(Transfer.all).map(\.name),
      try context.fetch(Account.all).reduce(0) { $0 + $1.transferCount }
    )
  }
}
