// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// The identities of a list in its order, cut into sections: what a results controller works on.
///
/// A row takes 8 bytes. Copies share them.
///
/// Invariants:
/// 1. No reference is there twice.
/// 2. Sections follow each other without gaps: one begins where the one before ends, the first at 0.
/// 3. No two sections have the same name, and none is empty; but a list without a section key path has
///    exactly one section, without a name, also when it is empty.
struct ResultsList: Sendable {
  struct Section: Sendable, Equatable {
    var name: String
    /// The rows of the section, as places in the whole list.
    var range: Range<Int>

    static func == (left: Self, right: Self) -> Bool {
      left.range == right.range && left.isNamed(right.name)
    }

    /// Whether the section has a name, byte by byte: Swift takes others for equal.
    func isNamed(_ name: String) -> Bool {
      self.name == name && self.name.utf8.elementsEqual(name.utf8)
    }
  }

  var references: [ObjectReference] = []
  var sections: [Section] = []
  /// The IDs of the objects that are not saved yet.
  var temporaryIDs: [ObjectReference: ManagedObjectID] = [:]
  /// Whether all rows are in one section, which has no name.
  var isWithoutSections = false
  /// Makes the other IDs.
  let naming: ObjectNaming

  /// The ID of an object of the list.
  func objectID(of reference: ObjectReference) -> ManagedObjectID {
    reference.key < 0
      ? temporaryIDs[reference] ?? naming.id(of: reference) : naming.id(of: reference)
  }

  /// The reference that an ID of this list's store, or of one of its unsaved objects, stands for.
  func reference(of id: ManagedObjectID) -> ObjectReference? {
    // The ID of an unsaved object, which it will have when it is saved, stands for its temporary key until then.
    if let unsaved = temporaryIDs.first(where: { $0.value == id }) { return unsaved.key }
    guard let reference = naming.reference(of: id), objectID(of: reference) == id else {
      return nil
    }
    return reference
  }

  /// The place of the section that a row is in; the row must exist.
  ///
  /// - Complexity: Logarithmic in the number of sections.
  func section(ofRow row: Int) -> Int {
    var range = 0..<sections.count
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      range =
        sections[middle].range.lowerBound <= row
        ? middle..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  /// The place in the whole list of a path; `nil` when the list has no such row.
  func row(_ path: IndexPath) -> Int? {
    guard let (section, row) = path.sectionAndRow, sections.indices.contains(section), row >= 0,
      row < sections[section].range.count
    else { return nil }
    return sections[section].range.lowerBound + row
  }

  /// Where a row of the whole list is found.
  func indexPath(ofRow row: Int) -> IndexPath {
    let section = section(ofRow: row)
    return .row(row - sections[section].range.lowerBound, inSection: section)
  }
}

/// Makes the IDs of a context's stored objects, in any isolation.
final class ObjectNaming: Sendable {
  private let model: ModelLayout
  private let stores: StoreNaming
  private let ids: ObjectIDMaker

  init(_ model: ModelLayout, _ stores: StoreNaming, _ ids: ObjectIDMaker) {
    self.model = model
    self.stores = stores
    self.ids = ids
  }

  func id(of reference: ObjectReference) -> ManagedObjectID { ids.id(reference) }

  /// What an ID would stand for, whosever it is; `nil` when the model has no such entity.
  func reference(of id: ManagedObjectID) -> ObjectReference? {
    guard let entity = model.entitiesByName[id.entityName] else { return nil }
    let key = id.isTemporaryID ? id.key : stores.key(of: id)
    return key.map { ObjectReference(key: $0, entity: entity) }
  }

  /// Whether both give every reference the same ID.
  func agrees(with other: ObjectNaming) -> Bool {
    self === other || model === other.model && stores.agrees(with: other.stores)
  }
}
