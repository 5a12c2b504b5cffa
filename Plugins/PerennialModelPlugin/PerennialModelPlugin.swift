// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PackagePlugin

/// Generates the managed classes of the model files in a target, with every build.
@main
struct PerennialModelPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let module = target.sourceModule else { return [] }
    let tool = try context.tool(named: "perennial-model-generator")
    let options = module.directoryURL.appending(path: "perennial-models.json")
    let hasOptions = FileManager.default.fileExists(atPath: options.path)
    var names: Set<String> = []
    return try ModelSearch.models(in: module.directoryURL).map { model in
      let name = model.deletingPathExtension().lastPathComponent
      guard names.insert(name).inserted else { throw SameName(name: name, target: target.name) }
      let output = context.pluginWorkDirectoryURL.appending(path: "\(name)+Generated.swift")
      return .buildCommand(
        displayName: "Generating the classes of \(model.lastPathComponent)",
        executable: tool.url,
        arguments: [model.path, "--output", output.path]
          + (hasOptions ? ["--options", options.path] : []),
        // The folder too: then the package manager does not call it unhandled.
        inputFiles: [model] + ModelSearch.files(in: model) + (hasOptions ? [options] : []),
        outputFiles: [output]
      )
    }
  }

  /// Two models of one name, whose files would have one name too.
  private struct SameName: Error, CustomStringConvertible {
    let name: String
    let target: String

    var description: String {
      "the target '\(target)' has two models called '\(name)'; rename one of them"
    }
  }
}
