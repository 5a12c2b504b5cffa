// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// Names as those who write SQL give them: `commit`, `id`, `created_at`, `author_id`, `commit_tags`.
///
/// Every name is in quotes, as the engine has them, so that none is a word of SQL. What clashes gets a number, in the
/// order of the columns: an attribute `id` has the column `id_2`, as `id` is the key.
package struct PlainNames: SchemaNames {
  private let quoted: @Sendable (String) -> String
  package let rows: RowNames
  package let keepsLists: Bool

  /// The names of a store on a server of ours.
  package init() { self.init(keepsLists: false) { $0.quotedForSQL } }

  /// The names of a store of a third party.
  ///
  /// - Parameter quoted: Puts a name in quotes.
  init(quoting quoted: @escaping @Sendable (String) -> String) {
    self.init(keepsLists: true, quoted)
  }

  private init(keepsLists: Bool, _ quoted: @escaping @Sendable (String) -> String) {
    self.keepsLists = keepsLists
    self.quoted = quoted
    rows = RowNames(
      key: quoted("id"),
      entity: quoted("type"),
      version: quoted("version"),
      hasEntityEverywhere: false
    )
  }

  package var counters: CounterNames {
    CounterNames(
      table: quoted("perennial_keys"),
      entity: quoted("type"),
      name: quoted("name"),
      superentity: quoted("supertype"),
      greatest: quoted("last_id")
    )
  }

  package var metadata: MetadataNames {
    MetadataNames(
      table: quoted("perennial_metadata"),
      version: quoted("version"),
      identifier: quoted("store_id"),
      propertyList: quoted("property_list")
    )
  }

  /// None: names that begin as ours do get an underscore in front.
  package var reservedTables: Set<String> { [] }

  /// PostgreSQL calls the index of the key of `commit` `commit_pkey`, shortened to 63 bytes.
  package func indexNames(ofTable name: String) -> [String] {
    let tail = "_pkey"
    var head = name
    while head.utf8.count + tail.utf8.count > 63 { head.removeLast() }
    return [head + tail]
  }

  package func numbered(_ name: String, _ attempt: Int) -> String { "\(name)_\(attempt + 1)" }

  package func written(_ name: String) -> String { quoted(name) }

  /// The name without what stands before and behind every name.
  package func unwritten(_ name: String) -> String {
    guard let sample = quoted("x").firstIndex(of: "x") else { return name }
    let count = quoted("x").distance(from: quoted("x").startIndex, to: sample)
    return String(name.dropFirst(count).dropLast(quoted("x").count - count - 1))
  }

  package func table(of entity: EntityLayout) -> String { table(entity.name.inSnakeCase) }

  /// A name that tables may have: an engine's own tables come before ours, and statements call tables `t0` and `m`.
  private func table(_ name: String) -> String {
    let isTaken =
      ["pg_", "sqlite_", "perennial_"].contains(where: name.hasPrefix)
      || name.isLetterWithDigits(from: 0)
    return isTaken ? "_" + name : name
  }

  package func columnBase(of slot: SlotLayout) -> String { slot.name.inSnakeCase }

  /// Columns that every table of PostgreSQL has ("System Columns"), and what statements call values, as `c0`, get an
  /// underscore in front.
  package func columns(_ base: String, of slot: SlotLayout, destination: Int64) -> (
    name: String, entity: String, order: String
  ) {
    guard slot.relationship == nil else {
      return (base + "_id", base + "_type", base + "_position")
    }
    let isTaken = Self.systemColumns.contains(base) || base.isLetterWithDigits(from: 1)
    return (isTaken ? "_" + base : base, "", "")
  }

  private static let systemColumns: Set<String> = [
    "cmax", "cmin", "ctid", "tableoid", "xmax", "xmin",
  ]

  package func table(of link: LinkLayout, _ model: ModelLayout, _ numbers: [Int64]) -> String {
    table(ofLists: link.first.name, of: model.entities[link.first.entity].name)
  }

  package func table(ofLists relationship: String, of entity: String) -> String {
    table("\(entity)_\(relationship)".inSnakeCase)
  }

  /// A column is called after the entity whose keys it has; where both are of one entity, the second after the
  /// relationship that leads to it.
  package func joinColumns(
    _ model: ModelLayout,
    _ numbers: [Int64]
  ) -> [(first: String, second: String)] {
    model.links.map { link in
      let first = model.entities[link.first.entity].name.inSnakeCase + "_id"
      let second = model.entities[link.second.entity].name.inSnakeCase + "_id"
      guard first == second else { return (first, second) }
      let other = link.first.name.inSnakeCase + "_id"
      return (first, other == first ? numbered(other, 1) : other)
    }
  }

  package func order(_ column: String) -> String {
    (column.hasSuffix("_id") ? String(column.dropLast(3)) : column) + "_position"
  }

  package func index(ofTable table: String, _ column: String) -> String {
    "\(table)_\(column)_idx"
  }

  package func index(_ name: String, of entity: EntityLayout) -> String {
    "\(entity.name)_\(name)".inSnakeCase + "_idx"
  }

  package func constraint(_ properties: [String], of entity: EntityLayout) -> String {
    ([entity.name] + properties).joined(separator: "_").inSnakeCase + "_key"
  }
}

extension String {
  /// The words of a name in small letters with underscores between them: `createdAt` is `created_at`, `baseURLString`
  /// is `base_url_string`, an element `address.city` is `address_city`.
  var inSnakeCase: String {
    let letters = Array(self)
    var result = ""
    for (place, letter) in letters.enumerated() {
      if letter == "." {
        result.append("_")
        continue
      }
      if letter.isUppercase, let last = place > 0 ? letters[place - 1] : nil {
        let next = place + 1 < letters.count ? letters[place + 1] : nil
        let beginsWord =
          last.isLowercase || last.isNumber || (last.isUppercase && next?.isLowercase == true)
        if beginsWord { result.append("_") }
      }
      result += letter.lowercased()
    }
    return result
  }

  /// Whether it is one small letter with at least so many digits behind it, and nothing else.
  fileprivate func isLetterWithDigits(from count: Int) -> Bool {
    guard let first = utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else {
      return false
    }
    let digits = utf8.dropFirst()
    return digits.count >= count
      && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
