// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension ManagedClass {
  /// The sentence that the compiler shows when a class got the isolation of its target.
  ///
  /// It is the name of a function, because a macro cannot see the default isolation, and an error
  /// about a call across isolations shows the callee's name.
  static let isolationSentence =
    "in a target with default MainActor isolation, write nonisolated before class"

  /// A function that has the class's isolation, and a nonisolated one that calls it.
  func isolationMember() -> String {
    """
    private static func `\(Self.isolationSentence)`() {}
    private nonisolated static func _checkIsolation() {
      `\(Self.isolationSentence)`()
    }
    """
  }

  /// The table from key paths to names.
  ///
  /// `\Employee.name` and `\Person.name` are different key paths. In a class that can have
  /// subclasses the literals therefore get the type of the class that is asked, by opening it as an
  /// existential. The cast must be dynamic: from `self` itself the compiler takes the class that is
  /// written here.
  func propertyNameMember() -> String {
    let signature = "nonisolated override class func propertyName(for keyPath: AnyKeyPath)"
    let inherited = "super.propertyName(for: keyPath)"
    guard !declaration.persistent.isEmpty else {
      return "\(declaration.overrideAccess)\(signature) -> String? {\n  \(inherited)\n}"
    }
    let name = declaration.spelling
    if declaration.modifiers.contains(where: { $0.name == "final" }) {
      return """
        \(declaration.overrideAccess)\(signature) -> String? {
        \(table(root: name, indentation: "  "))
          return \(inherited)
        }
        """
    }
    return """
      \(declaration.overrideAccess)\(signature) -> String? {
        func name<_Root: \(name) & ManagedEntity>(_ root: _Root.Type) -> String? {
      \(table(root: "_Root", indentation: "    "))
          return nil
        }
        let type: ManagedObject.Type = self
        return (type as? any (\(name) & ManagedEntity).Type).flatMap { name($0) } ?? \(inherited)
      }
      """
  }

  private func table(root: String, indentation: String) -> String {
    let lines = declaration.persistent.map {
      "\(indentation)if keyPath == \\\(root).\($0.spelling) { return \"\($0.modelName)\" }"
    }
    return lines.joined(separator: "\n")
  }
}
