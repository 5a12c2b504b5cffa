// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import Perennial

/// What reads a predicate back from the block that keeps it.
///
/// A block can be asked only whether it is true for a value. The one that is made here answers this
/// class by giving it the predicate.
private final class PredicateReader {
  var predicate: FetchPredicate?
}

extension NSPredicate {
  /// A predicate of Foundation's class that stands for a `FetchPredicate`.
  ///
  /// A value with which it cannot be evaluated does not satisfy it. Two such predicates are equal only when they
  /// are the same object.
  ///
  /// - Parameter predicate: The predicate.
  public convenience init(_ predicate: FetchPredicate) {
    self.init { value, variables in
      if let reader = value as? PredicateReader {
        reader.predicate = predicate
        return true
      }
      let source = (value as? ManagedObject).map { $0.keyValueSource } ?? value
      return (try? predicate.evaluate(value: source, variables: variables ?? [:])) ?? false
    }
  }

  /// Whether the predicate is neither constant nor of a format of Foundation's.
  fileprivate var hasBlock: Bool {
    #if canImport(Darwin)
    return predicateFormat.hasPrefix("BLOCKPREDICATE")
    #else
    return self != NSPredicate(value: true) && self != NSPredicate(value: false)
    #endif
  }

  fileprivate var withoutBlock: FetchPredicate {
    #if canImport(Darwin)
    return FetchPredicate(keeping: predicateFormat, arguments: [])
    #else
    return .value(self == NSPredicate(value: true))
    #endif
  }
}

extension FetchPredicate {
  /// A predicate that stands for one of Foundation's class.
  ///
  /// Predicates with a format, constant ones and compounds of those are understood. With a predicate that has a
  /// block of yours, the fetch throws an error.
  ///
  /// - Parameter predicate: The predicate.
  public init(_ predicate: NSPredicate) {
    if let compound = predicate as? NSCompoundPredicate {
      self.init(compound)
    } else if predicate.hasBlock {
      let reader = PredicateReader()
      _ = predicate.evaluate(with: reader)
      self = reader.predicate ?? .unreadableBlock
    } else {
      self = predicate.withoutBlock
    }
  }

  private init(_ compound: NSCompoundPredicate) {
    let parts = compound.subpredicates.compactMap { $0 as Any as? NSPredicate }
      .map { FetchPredicate($0) }
    switch compound.compoundPredicateType {
    case .and: self = parts.dropFirst().reduce(parts.first ?? .value(true)) { $0 && $1 }
    case .or: self = parts.dropFirst().reduce(parts.first ?? .value(false)) { $0 || $1 }
    case .not: self = !(parts.first ?? .value(false))
    @unknown default: self = .unreadableBlock
    }
  }

  private static var unreadableBlock: FetchPredicate {
    FetchPredicate(
      failure: "a predicate with a block cannot be a condition of a fetch",
      recovery: "write it as a format string, or filter what was fetched."
    )
  }
}
