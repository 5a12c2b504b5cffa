// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialPredicate

extension ManagedObjectModel {
  /// A fetch request made from one of the model's templates.
  ///
  /// ```swift
  /// let request: FetchRequest<Commit> = try model.fetchRequest(
  ///   fromTemplate: "commitsBy", substitutionVariables: ["NAME": "Joe Groff"])
  /// ```
  ///
  /// Core Data: `NSManagedObjectModel.fetchRequestFromTemplate(withName:substitutionVariables:)`.
  ///
  /// - Parameters:
  ///   - name: The template's name.
  ///   - variables: A value for every `$VARIABLE` of the template's condition, by the name without the dollar sign.
  /// - Returns: A new request; changing it does not change the template.
  /// - Throws: `unknownName` (200003) when the model has no such template, a format error
  ///   (200001), or `predicateEvaluation` (200002) for a variable without a value.
  public func fetchRequest<Object: ManagedObject>(
    fromTemplate name: String,
    substitutionVariables variables: [String: (any Sendable)?] = [:]
  ) throws(PerennialError) -> FetchRequest<Object> {
    guard let template = fetchRequestTemplate(forName: name) else {
      throw PerennialError(
        .unknownName,
        "The model has no fetch request named '\(name)'.",
        recovery: PerennialError.suggestion(for: name, among: fetchRequestTemplates.map(\.name))
      )
    }
    var request = FetchRequest<Object>(entityName: template.entityName)
    request.fetchLimit = template.fetchLimit
    request.includesSubentities = template.includesSubentities
    if let text = template.predicate {
      let predicate = try FetchPredicate(parsing: text).withSubstitutionVariables(variables)
      try predicate.checkVariables()
      request.predicate = predicate
    }
    return request
  }
}
