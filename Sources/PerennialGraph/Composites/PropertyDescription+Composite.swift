// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

// What @Managed writes for properties whose type is a @Composite struct.

extension PropertyDescription {
  /// A composite attribute.
  ///
  /// - Parameters:
  ///   - name: The name in the model.
  ///   - type: The struct.
  ///   - value: The value of a new object; `nil` for the defaults of the elements.
  ///   - renamedFrom: The name in the earlier version of the model; `nil` when it was the same.
  ///   - isTransient: Whether the attribute, with all of its elements, is tracked but never stored.
  ///   - preservesValueOnDeletion: Whether history keeps the last values of all elements of a deleted object.
  /// - Returns: The property.
  public static func of<Value: CompositeAttribute>(
    _ name: String,
    _ type: Value.Type,
    default value: Value? = nil,
    renamedFrom: String? = nil,
    isTransient: Bool = false,
    preservesValueOnDeletion: Bool = false
  ) -> PropertyDescription {
    composite(
      name,
      type,
      value,
      isOptional: false,
      renamedFrom,
      isTransient,
      preservesValueOnDeletion
    )
  }

  /// An optional composite attribute.
  ///
  /// - Parameters:
  ///   - name: The name in the model.
  ///   - type: The struct, as an optional.
  ///   - value: The value of a new object; `nil` for none, whatever defaults the elements have.
  ///   - renamedFrom: The name in the earlier version of the model; `nil` when it was the same.
  ///   - isTransient: Whether the attribute, with all of its elements, is tracked but never stored.
  ///   - preservesValueOnDeletion: Whether history keeps the last values of all elements of a deleted object.
  /// - Returns: The property.
  public static func of<Value: CompositeAttribute>(
    _ name: String,
    _ type: Value?.Type,
    default value: Value? = nil,
    renamedFrom: String? = nil,
    isTransient: Bool = false,
    preservesValueOnDeletion: Bool = false
  ) -> PropertyDescription {
    composite(
      name,
      Value.self,
      value,
      isOptional: true,
      renamedFrom,
      isTransient,
      preservesValueOnDeletion
    )
  }

  private static func composite<Value: CompositeAttribute>(
    _ name: String,
    _ type: Value.Type,
    _ value: Value?,
    isOptional: Bool,
    _ renamedFrom: String?,
    _ isTransient: Bool,
    _ preservesValueOnDeletion: Bool
  ) -> PropertyDescription {
    var attribute = AttributeDescription(
      name,
      .composite,
      isOptional: isOptional,
      isTransient: isTransient,
      elements: Value._elements.map(element),
      renamingIdentifier: renamedFrom
    )
    if let value {
      var writer = _ElementWriter()
      writer.write(value)
      var defaults = writer.values[...]
      attribute.setDefaults { defaults.popFirst() ?? .null }
    } else if isOptional {
      // Or the attribute of a new object would have a value.
      attribute.setDefaults { .null }
    }
    if preservesValueOnDeletion {
      // The version hashes of stores count the mark of every element.
      attribute.visit { $0.preservesValueInHistoryOnDeletion = true }
    }
    return .attribute(attribute)
  }

  /// An element; a relationship, which is none, gets no type, and the model's check says so.
  private static func element(_ property: PropertyDescription) -> AttributeDescription {
    switch property {
    case .attribute(let attribute): attribute
    case .relationship(let relationship): AttributeDescription(relationship.name, .undefined)
    }
  }
}

extension AttributeDescription {
  /// Gives every element that is not composite itself a default, in order.
  fileprivate mutating func setDefaults(_ next: () -> PropertyValue) {
    guard type == .composite else {
      defaultValue = next()
      return
    }
    for index in elements.indices { elements[index].setDefaults(next) }
  }

  /// Changes the attribute and all of its elements.
  fileprivate mutating func visit(_ change: (inout AttributeDescription) -> Void) {
    change(&self)
    for index in elements.indices { elements[index].visit(change) }
  }
}
