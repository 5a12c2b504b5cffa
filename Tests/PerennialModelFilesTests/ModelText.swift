// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialModelFiles

/// The bytes of a model file of some elements.
func modelFile(_ elements: String) -> Data {
  Data(
    """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
    \(elements)
    </model>
    """.utf8
  )
}

/// The model of an entity `Thing` with some elements inside.
func thing(_ elements: String) throws(PerennialError) -> ModelDocument {
  try ModelDocument(modelFile("<entity name=\"Thing\">\n\(elements)\n</entity>"), named: "Test")
}

extension ModelDocument {
  /// The attribute of `Thing` that has a name.
  func attribute(_ name: String) -> AttributeDescription? {
    guard
      case .attribute(let attribute)? = model.entitiesByName["Thing"]?.properties
        .first(where: { $0.name == name })
    else { return nil }
    return attribute
  }

  /// The relationship of `Thing` that has a name.
  func relationship(_ name: String) -> RelationshipDescription? {
    guard
      case .relationship(let relationship)? = model.entitiesByName["Thing"]?.properties
        .first(where: { $0.name == name })
    else { return nil }
    return relationship
  }
}
