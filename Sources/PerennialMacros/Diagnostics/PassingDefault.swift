// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension VariableDeclaration {
  /// Whether its initial value is a new identifier or the present time.
  ///
  /// A default is evaluated once, so that all objects would have the same.
  var hasPassingDefault: Bool {
    guard var value = initialValue?.filter({ !$0.isWhitespace }) else { return false }
    if value.hasPrefix("Foundation.") { value.removeFirst("Foundation.".count) }
    let passing = ["UUID()", "UUID.init()", "Date()", "Date.init()", "Date.now"]
    if passing.contains(value) { return true }
    guard let type = wrappedType ?? type else { return false }
    let isDate = ClassDeclaration.isNamed(type, "Date")
    return value == ".now" && isDate
      || value == ".init()" && (isDate || ClassDeclaration.isNamed(type, "UUID"))
  }
}

extension ManagedClass {
  /// What compiles, but hardly does what is meant.
  var warnings: [Diagnostic] {
    declaration.persistent.filter(\.hasPassingDefault).map { variable in
      let range = variable.typeRange.upperBound..<variable.initialRange.upperBound
      return Diagnostic(
        .passingDefault,
        in: source,
        at: variable.initialRange,
        fixIts: [.init(message: "remove the default value", range: range, newText: "")]
      )
    }
  }
}
