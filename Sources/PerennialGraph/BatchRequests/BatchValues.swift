// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// What a batch update writes, by slot, with every name and type checked.
struct BatchValues {
  /// The same for all rows, each of its slot's type.
  private(set) var constants: [Int: PropertyValue] = [:]
  /// Computed of each row.
  private(set) var expressions: [Int: ExpressionNode] = [:]

  var isEmpty: Bool { constants.isEmpty && expressions.isEmpty }
  var slots: Set<Int> { Set(constants.keys).union(expressions.keys) }

  init(
    _ request: BatchUpdateRequest,
    _ layout: EntityLayout,
    _ model: ModelLayout
  ) throws(PerennialError) {
    // A composite attribute comes before its elements, which win.
    for (name, value) in request.propertiesToUpdate.sorted(by: { $0.key < $1.key }) {
      if layout.slotsByName[name] == nil,
        let elements = try layout.elementValues(value, of: name)
      {
        for element in elements {
          constants[try layout.batchSlot(layout.slots[element.slot].name)] = element.value
        }
        continue
      }
      let slot = try layout.batchSlot(name)
      constants[slot] = try layout.batchValue(value, slot)
    }
    for description in request.expressionsToUpdate {
      let slot = try layout.batchSlot(description.name)
      guard layout.slots[slot].attribute != nil else {
        throw .wrongType(description.name, of: layout, slot: slot)
      }
      let expression = try description.checked()
      try QueryChecker(model).check(expression, entity: layout.index)
      expressions[slot] = expression
    }
  }

  /// Writes the values into objects; all are computed before the first is written.
  func apply(to objects: [ManagedObject]) throws(PerennialError) {
    guard let context = objects.first?.managedObjectContext else { return }
    let targets = try targets(in: context)
    guard !expressions.isEmpty else {
      for object in objects { write(constants, targets, to: object) }
      return
    }
    var values: [[Int: PropertyValue]] = []
    values.reserveCapacity(objects.count)
    for object in objects { values.append(try self.values(of: object)) }
    for (object, values) in zip(objects, values) { write(values, targets, to: object) }
  }

  /// The objects that the values refer to, by slot.
  private func targets(
    in context: ManagedObjectContext
  ) throws(PerennialError) -> [Int: ManagedObject] {
    var targets: [Int: ManagedObject] = [:]
    for case (let slot, .objectID(let id)) in constants {
      targets[slot] = try context.object(with: id)
    }
    return targets
  }

  /// What an object gets.
  private func values(of object: ManagedObject) throws(PerennialError) -> [Int: PropertyValue] {
    guard let layout = object._home?.pointee.layout else { return [:] }
    var values = constants
    for (slot, expression) in expressions {
      let evaluator = PredicateEvaluator(.object(object.keyValueSource))
      guard case .scalar(let value) = try evaluator.value(of: expression).asScalar,
        let fitting = PropertyValue(value.sendable, for: layout.slots[slot])
      else { throw .wrongType(layout.slots[slot].name, of: layout, slot: slot) }
      values[slot] = fitting
    }
    return values
  }

  /// Gives an object values, and its row a new version, also where it has had them.
  private func write(
    _ values: [Int: PropertyValue],
    _ targets: [Int: ManagedObject],
    to object: ManagedObject
  ) {
    guard let home = object._home else { return }
    let layout = home.pointee.layout
    let context = home.pointee.context
    for (slot, value) in values {
      if let attribute = layout.slots[slot].attribute {
        value.withSlotValue(as: attribute.type) { object._store($0, slot) }
      } else {
        object._setTarget(slot, targets[slot])
      }
      // One that stays is not marked where its inverse is ordered: the object would lose its place there.
      if layout.slots[slot].relationship?.isInverseOrdered != true {
        context.markChanged(slot, of: object)
      }
    }
    if object._edit == nil { context.detectConflicts(for: object) }
  }
}

extension EvaluationValue {
  /// A null as a scalar too.
  fileprivate var asScalar: EvaluationValue { isNull ? .scalar(.null) : self }
}

extension EntityLayout {
  /// The slot of a property that a batch update may write.
  fileprivate func batchSlot(_ name: String) throws(PerennialError) -> Int {
    guard let slot = slotsByName[name] else {
      throw toManysByName[name] == nil
        ? .unknownProperty(name, of: self) : .toManyInBatch(name, of: self)
    }
    if slots[slot].attribute?.derivationExpression != nil { throw .derivedIsSet(name, of: self) }
    if slots[slot].isTransient { throw .transientInBatch(name, of: self) }
    return slot
  }

  /// A user's value as one of a slot's type.
  fileprivate func batchValue(
    _ value: (any Sendable)?,
    _ slot: Int
  ) throws(PerennialError) -> PropertyValue {
    if slots[slot].attribute != nil {
      if let value = PropertyValue(value, for: slots[slot]) { return value }
    } else {
      guard let value else { return .null }
      if let id = value as? ManagedObjectID { return .objectID(id) }
    }
    throw .wrongType(slots[slot].name, of: self, slot: slot)
  }
}
