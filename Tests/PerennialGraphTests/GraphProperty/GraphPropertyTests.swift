// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import Testing

@Suite("SEMANTICS 1C, 1D: random operations against a naive graph")
struct GraphPropertyTests {
  @Test(arguments: StoreKind.allCases)
  func `the graph is what the naive graph is`(_ kind: StoreKind) {
    GraphProperty(kind: kind).run()
  }

  @Test(arguments: StoreKind.allCases, 1...3)
  func `1D.2 the graph of a child of any depth is what the naive graph is`(
    _ kind: StoreKind,
    _ depth: Int
  ) {
    GraphProperty(kind: kind, depth: depth).run()
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 the graphs of several contexts are what the naive graphs are`(_ kind: StoreKind) {
    GraphProperty(kind: kind, contextCount: 3).run()
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 1D.11 the graphs of a parent's children are what the naive graphs are`(
    _ kind: StoreKind
  ) {
    GraphProperty(kind: kind, contextCount: 2, depth: 1).run()
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 undoing everything leads back to where it began, redoing everything to the end`(
    _ kind: StoreKind
  ) {
    GraphProperty(kind: kind, undoesEverything: true).run()
  }

  @Test(arguments: StoreKind.allCases)
  func `the naive graph notices a dropped inverse`(_ kind: StoreKind) throws {
    let failure = GraphProperty(kind: kind, hasDefect: true).findFailure()
    let found = try #require(failure, "40 runs with a dropped inverse were not noticed")
    #expect(found.steps.count < 12, "\(found)")
    #expect(found.steps.contains { if case .setOne = $0.step { true } else { false } }, "\(found)")
  }
}
