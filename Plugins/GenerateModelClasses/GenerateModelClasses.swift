// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PackagePlugin

/// `swift package generate-model-classes`: writes the classes that are edited by hand, once.
@main
struct GenerateModelClasses: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    var extractor = ArgumentExtractor(arguments)
    let names = extractor.extractOption(named: "target")
    if let argument = extractor.remainingArguments.first {
      throw Mistake(
        description: "there is no argument '\(argument)'; usage: "
          + "swift package generate-model-classes [--target NAME ...]"
      )
    }
    let tool = try context.tool(named: "perennial-model-generator")
    let targets =
      names.isEmpty ? context.package.targets : try context.package.targets(named: names)
    var count = 0
    for module in targets.compactMap(\.sourceModule) {
      let options = module.directoryURL.appending(path: "perennial-models.json")
      let hasOptions = FileManager.default.fileExists(atPath: options.path)
      for model in ModelSearch.models(in: module.directoryURL) {
        count += 1
        let process = Process()
        process.executableURL = tool.url
        process.arguments =
          [model.path, "--folder", model.deletingLastPathComponent().path]
          + (hasOptions ? ["--options", options.path] : [])
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
          throw Mistake(description: "nothing was written for \(model.lastPathComponent)")
        }
      }
    }
    if count == 0 { print("there is no .xcdatamodeld in these targets") }
  }

  /// A sentence that says what is wrong.
  private struct Mistake: Error, CustomStringConvertible {
    let description: String
  }
}
