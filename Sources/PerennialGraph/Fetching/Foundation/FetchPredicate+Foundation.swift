// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
import PerennialModel
public import PerennialPredicate

extension FetchPredicate {
  /// A condition written with Foundation's `#Predicate`.
  ///
  /// ```swift
  /// let name = "Joe Groff"
  /// let byJoe = FetchPredicate(#Predicate<Commit> { $0.author?.name == name })
  /// ```
  ///
  /// The stores evaluate it by the rules of the format language. These differ from Swift's:
  /// - Text is compared by its bytes: `é` as one code point differs from `e` followed by an accent.
  /// - No text contains, or starts with, the empty text.
  /// - The `count` of a text is its number of UTF-16 units.
  /// - An ordered comparison with an absent value is false; whole numbers that overflow are an error of
  ///   the fetch.
  /// - `NSRegularExpression` reads regular expressions.
  ///
  /// A fetch cannot evaluate, for instance, a computed property, a type test or a part of an array. The predicate
  /// keeps such a condition as an error, which the fetch throws.
  ///
  /// - Parameter predicate: The condition. The values that it captures must be values of attributes, IDs, or
  ///   collections of these.
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
  /// A request for the objects that meet a condition written with Foundation's `#Predicate`.
  ///
  /// - Parameter predicate: The condition: `#Predicate<Commit> { $0.message == "Fix" }`.
  /// - Returns: The request. A condition that no fetch can evaluate is an error of the fetch.
  public static func filter(_ predicate: Predicate<Self>) -> FetchRequest<Self> {
    all.filter(FetchPredicate(predicate))
  }
}

extension FetchRequest {
  /// The request with one more condition, written with Foundation's `#Predicate`.
  ///
  /// ```swift
  /// let fixes = Commit.all.filter(#Predicate { $0.message.contains("fix") })
  /// ```
  ///
  /// - Parameter predicate: The condition.
  /// - Returns: The request. A condition that no fetch can evaluate is an error of the fetch.
  public func filter(_ predicate: Predicate<Result>) -> Self { filter(FetchPredicate(predicate)) }
}
