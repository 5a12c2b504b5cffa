// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A condition on the objects of an entity, for a fetch or for a value in memory.
///
/// ```swift
/// let fixes = FetchPredicate(format: "message CONTAINS[c] %@ AND author.name == %@", "fix", name)
/// let same: FetchPredicate = "message CONTAINS[c] \(word) AND author.name == \(name)"
/// let both = fixes && !same
/// ```
///
/// A predicate whose format or arguments are wrong keeps the error, and the fetch throws it; only
/// ``init(parsing:arguments:)`` throws at once. Equal predicates have equal trees. A predicate is encoded as
/// its format string.
///
/// Core Data: `NSPredicate`.
public struct FetchPredicate: Sendable, Hashable {
  /// The tree, or why there is none.
  enum Content: Sendable {
    /// A tree and an upper bound of its depth.
    indirect case tree(PredicateNode, depth: Int)
    /// What a known format says with its value; the tree is made for those who want it, and look-ups do not.
    case equality(AttributeEquality)
    /// What is wrong with the format or an argument.
    indirect case failure(FormatError)

    init(_ parsed: FormatParser.Measured<PredicateNode>) {
      self = .tree(parsed.node, depth: parsed.depth)
    }

    init(_ make: () throws(FormatError) -> Content) {
      do throws(FormatError) {
        self = try make()
      } catch {
        self = .failure(error)
      }
    }
  }

  let content: Content

  /// Whether two predicates have equal trees, or the same error.
  ///
  /// - Parameters:
  ///   - left: A predicate.
  ///   - right: Another one.
  /// - Returns: `false` for trees that only mean the same: `a && b` is not `b && a`.
  /// - Complexity: O(*n*) in the size of the trees.
  public static func == (left: Self, right: Self) -> Bool {
    left.tree.map(\.node) == right.tree.map(\.node)
  }

  /// Feeds the tree or the error to the hasher.
  ///
  /// - Parameter hasher: The hasher that takes it.
  /// - Complexity: O(*n*) in the size of the tree.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(tree.map(\.node))
  }

  init(_ content: Content) { self.content = content }

  init(_ make: () throws(FormatError) -> Content) { content = Content(make) }

  /// A predicate of a tree made elsewhere.
  package init(_ node: PredicateNode) {
    let depth = node.depth()
    content =
      depth > maximumPredicateDepth ? .failure(.tooDeep) : .tree(node, depth: depth)
  }

  /// A predicate that could not be made; the fetch throws the error.
  ///
  /// - Parameters:
  ///   - message: What is wrong.
  ///   - recovery: What to do about it.
  package init(failure message: String, recovery: String) {
    content = .failure(FormatError(message, recovery: recovery))
  }

  /// A predicate that is always true or always false.
  ///
  /// Core Data: `NSPredicate(value:)`.
  ///
  /// - Parameter value: What the predicate is for every object.
  /// - Returns: The predicate: `TRUEPREDICATE` or `FALSEPREDICATE`.
  public static func value(_ value: Bool) -> FetchPredicate {
    FetchPredicate(.tree(.constant(value), depth: 1))
  }

  /// The tree.
  ///
  /// - Throws: ``PerennialError`` with code `predicateFormat` when the format or an argument was
  ///   wrong.
  package func checked() throws(PerennialError) -> PredicateNode {
    switch tree {
    case .success(let tree): return tree.node
    case .failure(let error): throw error.perennialError
    }
  }

  /// The tree and an upper bound of its depth, or why there is none.
  var tree: Result<FormatParser.Measured<PredicateNode>, FormatError> {
    switch content {
    case .tree(let node, let depth): .success(FormatParser.Measured(node: node, depth: depth))
    case .equality(let equality): .success(equality.tree)
    case .failure(let error): .failure(error)
    }
  }
}

extension FetchPredicate: CustomStringConvertible {
  /// The format string with all values in it; parsing it gives an equal predicate.
  public var description: String {
    switch tree {
    case .success(let tree): FormatPrinter.text(of: tree.node)
    case .failure(let error): "(invalid predicate: \(error.message))"
    }
  }
}
