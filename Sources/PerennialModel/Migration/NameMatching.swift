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

  /// Matches names, each old one once.
  ///
  /// In this order:
  /// 1. a name and an identifier that are both the same, as in models that keep their identifiers;
  /// 2. identifiers that are given, so that a new name may be what another one was;
  /// 3. names that have an identifier neither before nor now;
  /// 4. names without identifier that are the identifier of an old one, or its name.
  ///
  /// Where an identifier is also the name of another old one, it means the one that has it as its identifier.
  init(old: [Name], new: [Name]) {
    sources = new.map { _ in nil }
    var isTaken = old.map { _ in false }
    let byIdentifier = Dictionary(
      old.indices.compactMap { index in old[index].identifier.map { ($0, index) } }
    ) { first, _ in first }
    let byName = Dictionary(old.indices.map { (old[$0].name, $0) }) { first, _ in first }
    func take(_ place: Int?, for index: Int) {
      guard let place, !isTaken[place], sources[index] == nil else { return }
      sources[index] = place
      isTaken[place] = true
    }
    func takeSame(isIdentified: Bool) {
      for (index, name) in new.enumerated() where (name.identifier != nil) == isIdentified {
        guard let place = byName[name.name], old[place].identifier == name.identifier else {
          continue
        }
        take(place, for: index)
      }
    }
    func takeByIdentifiers(isIdentified: Bool) {
      let places = new.indices.filter { (new[$0].identifier != nil) == isIdentified }
      for index in places { take(byIdentifier[new[index].canonical], for: index) }
      for index in places { take(byName[new[index].canonical], for: index) }
    }
    takeSame(isIdentified: true)
    takeByIdentifiers(isIdentified: true)
    takeSame(isIdentified: false)
    takeByIdentifiers(isIdentified: false)
    for (index, name) in new.enumerated() { take(byName[name.name], for: index) }
    var identified: Set<String> = []
    for (index, name) in new.enumerated() {
      if let identifier = name.identifier, !identified.insert(identifier).inserted {
        ambiguous.append(index)
      }
    }
  }
}
