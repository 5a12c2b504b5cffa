// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModelFiles

/// The file `perennial-models.json` of a target.
///
/// ```json
/// { "access": "public", "models": { "Library": { "codeGeneration": "class" } } }
/// ```
struct OptionsFile {
  /// A sentence that says what is wrong.
  struct Mistake: Error {
    let message: String
  }

  private let values: [String: Any]

  /// Reads a file.
  init(_ url: URL) throws(Mistake) {
    do {
      let json = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
      values = json as? [String: Any] ?? ["the outermost value": json]
    } catch {
      throw Mistake(message: "this is no JSON: \(error.localizedDescription)")
    }
  }

  /// The options of a model: those of the file, and in front of them the model's own.
  func options(for model: String) throws(Mistake) -> SwiftOptions {
    var options = SwiftOptions()
    try read(values, into: &options, knowing: ["models"])
    guard let models = values["models"] else { return options }
    guard let models = models as? [String: [String: Any]] else {
      throw Mistake(message: "'models' is no object of objects; write { \"Library\": { … } }")
    }
    try read(models[model] ?? [:], into: &options)
    return options
  }

  private func read(
    _ values: [String: Any],
    into options: inout SwiftOptions,
    knowing others: Set<String> = []
  ) throws(Mistake) {
    for (key, value) in values.sorted(by: { $0.key < $1.key }) where !others.contains(key) {
      switch key {
      case "codeGeneration":
        let names = ["class", "category", "none", "model"]
        let name = try text(value, of: key, among: names)
        options.codeGeneration = CodeGeneration(rawValue: name)
      case "access":
        let names = SwiftOptions.Access.allCases.map(\.rawValue)
        let name = try text(value, of: key, among: names)
        options.access = SwiftOptions.Access(rawValue: name) ?? .internal
      case "usesNamespace":
        guard let flag = value as? Bool else {
          throw Mistake(message: "'usesNamespace' is neither true nor false")
        }
        options.usesNamespace = flag
      default:
        throw Mistake(
          message: "there is no option '\(key)'; use codeGeneration, access, usesNamespace, models"
        )
      }
    }
  }

  private func text(
    _ value: Any,
    of key: String,
    among names: [String]
  ) throws(Mistake) -> String {
    if let name = value as? String, names.contains(name) { return name }
    throw Mistake(message: "'\(key)' is none of \(names.joined(separator: ", "))")
  }
}
