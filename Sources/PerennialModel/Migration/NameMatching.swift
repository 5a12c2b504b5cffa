// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Finds out which new name was which old one.
///
/// Core Data: `NSEntityDescription.renamingIdentifier`.
struct NameMatching {
  /// A name and the identifier that is given with it.
  struct Name {
    let name: String
    let identifier: String?

    init(_ name: String, _ identifier: String?) {
      self.name = name
      self.identifier = identifier?.isEmpty == true ? nil : identifier
    }

    /// What stays the same over all versions.
    var canonical: String { identifier ?? name }
  }

  /// The place of each new name's old one.
  private(set) var sources: [Int?]
  /// The new names whose identifier another new name has, too.
  private(set) var ambiguous: [Int] = []

  /// Matches names: identifiers that are given first, so that a new name may be what another one was.
  init(old: [Name], new: [Name]) {
    sources = new.map { _ in nil }
    var isTaken = old.map { _ in false }
    let byCanonical = Dictionary(old.indices.map { (old[$0].canonical, $0) }) { first, _ in first }
    let byName = Dictionary(old.indices.map { (old[$0].name, $0) }) { first, _ in first }
    var identified: [String: Int] = [:]
    func take(_ place: Int?, for index: Int) {
      guard let place, !isTaken[place], sources[index] == nil else { return }
      sources[index] = place
      isTaken[place] = true
    }
    for (index, name) in new.enumerated() {
      guard let identifier = name.identifier else { continue }
      if identified.updateValue(index, forKey: identifier) != nil { ambiguous.append(index) }
      take(byCanonical[identifier], for: index)
      take(byName[identifier], for: index)
    }
    for (index, name) in new.enumerated() { take(byCanonical[name.canonical], for: index) }
    for (index, name) in new.enumerated() { take(byName[name.name], for: index) }
  }
}
