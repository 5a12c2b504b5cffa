// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
import PerennialModel
public import PerennialPredicate

extension FetchPredicate {
  /// A condition that Foundation's macro wrote.
  ///
  /// ```swift
  /// let name = "Joe Groff"
  /// let byJoe = FetchPredicate(#Predicate<Commit> { $0.author?.name == name })
  /// ```
  ///
  /// The stores decide it by the rules of the format language. Where Swift would answer otherwise:
  /// - Text is compared by its bytes: `é` differs from `e` with an accent behind it.
  /// - No text contains, or starts with, the empty text.
  /// - The `count` of a text is its number of UTF-16 units.
  /// - An ordered comparison with an absent value is false; whole numbers that overflow are an error of
  ///   the fetch.
  /// - A regular expression is read by `NSRegularExpression`.
  ///
  /// What a fetch cannot do, such as a computed property, a type test or a part of an array, is kept as
  /// an error that the fetch throws.
  ///
  /// - Parameter predicate: The condition. Values that it captures must be those of attributes, IDs, or
  ///   collections of them.
  public init<Object: ManagedObject>(_ predicate: Predicate<Object>) {
    let translator = ExpressionTranslator(variables: [predicate.variable.key: .object])
    do throws(UntranslatablePredicate) {
      self.init(try translator.condition(predicate.expression))
    } catch {
      self.init(failure: error.message, recovery: error.recovery)
    }
  }
}

extension ManagedEntity {
  /// A request for the objects that meet a condition of Foundation's macro.
  ///
  /// - Parameter predicate: The condition: `#Predicate<Commit> { $0.message == "Fix" }`.
  /// - Returns: The request. A condition that no fetch can decide is an error of the fetch.
  public static func filter(_ predicate: Predicate<Self>) -> FetchRequest<Self> {
    all.filter(FetchPredicate(predicate))
  }
}

extension FetchRequest {
  /// The request with one more condition, written with Foundation's macro.
  ///
  /// ```swift
  /// let fixes = Commit.all.filter(#Predicate { $0.message.contains("fix") })
  /// ```
  ///
  /// - Parameter predicate: The condition.
  /// - Returns: The request. A condition that no fetch can decide is an error of the fetch.
  public func filter(_ predicate: Predicate<Result>) -> Self { filter(FetchPredicate(predicate)) }
}
