// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension ManagedClass {
  /// The attributes and to-one relationships that are stored.
  private var copied: [VariableDeclaration] {
    slots.filter { $0.attribute("Transient") == nil }
  }

  /// The struct with a Sendable copy of an object.
  func snapshotType() -> String {
    let access = declaration.access
    let properties = copied.map {
      "  \(snapshotAccess(of: $0))var \($0.spelling): \(snapshotType(of: $0))\n"
    }
    return """
      \(access)nonisolated struct Snapshot: Codable, Sendable, Identifiable {
        \(access)var id: ManagedObjectID
      \(properties.joined())\(hasPrivateMembers ? initializer : "")}
      """
  }

  /// The access level of a property in the snapshot, with a space behind it: the lesser of those of
  /// the class and of the property.
  private func snapshotAccess(of variable: VariableDeclaration) -> String {
    if let own = ["private", "fileprivate"].first(where: variable.has) { return own + " " }
    let isPublic = variable.has("public") || variable.has("open")
    if isPublic { return declaration.access }
    return variable.has("package") && !declaration.access.isEmpty ? "package " : ""
  }

  private var hasPrivateMembers: Bool { copied.contains { $0.has("private") } }

  /// The initialiser of a snapshot with private members, which the class itself cannot set.
  private var initializer: String {
    let values = copied.map {
      "    self.\($0.spelling) = object._snapshotValue(object.\($0.spelling))\n"
    }
    return """
        fileprivate init(_ object: \(declaration.spelling)) {
          self.id = object.objectID
      \(values.joined())  }

      """
  }

  /// The function that makes the copy.
  func snapshotFunction() -> String {
    let values = copied.map { ", \($0.label): _snapshotValue(\($0.spelling))" }
    let arguments = hasPrivateMembers ? "self" : "id: objectID" + values.joined()
    return """
      \(declaration.access)nonisolated func snapshot() -> Snapshot {
        Snapshot(\(arguments))
      }
      """
  }

  /// The type of a property in the snapshot: that of an attribute, the ID of a to-one relationship.
  ///
  /// `Author?` may be either. `Author._SnapshotValue` is the type itself when that is Decodable,
  /// and `ManagedObjectID` when it is a managed class.
  private func snapshotType(of variable: VariableDeclaration) -> String {
    let type = variable.typeForMetatype ?? ""
    if variable.attribute("Relationship") != nil { return "ManagedObjectID?" }
    guard let wrapped = variable.wrappedType else { return type }
    let isName = wrapped.utf8.allSatisfy { Scanner.isWordByte($0) || ".:`".utf8.contains($0) }
    guard isName, !Self.valueTypes.contains(wrapped) else { return type }
    return "\(wrapped)._SnapshotValue?"
  }

  /// Types that are spelled as they are, to keep expansions readable.
  static let valueTypes: Set<String> = [
    "String", "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16",
    "UInt32", "UInt64", "Float", "Double", "Decimal", "Date", "Data", "URL", "UUID",
  ]
}
