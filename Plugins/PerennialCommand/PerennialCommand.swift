// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PackagePlugin

/// `swift package perennial`: the program `perennial`, and `check-migration` without models, which compares
/// those of the package with what they were at the last release.
@main
struct PerennialCommand: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let tool = try context.tool(named: "perennial-tool").url
    guard arguments.first == "check-migration", let options = ReleaseOptions(arguments) else {
      let process = try Process.run(tool, arguments: arguments)
      process.waitUntilExit()
      exit(process.terminationStatus)
    }
    let folder = context.package.directoryURL
    let targets = context.package.targets.map(\.directoryURL)
    let check = ReleaseCheck(
      tool: tool,
      git: try Git(in: folder),
      models: PackageModels.find(in: targets, without: context.pluginWorkDirectoryURL),
      place: context.pluginWorkDirectoryURL.appending(path: "release")
    )
    exit(try check.run(options))
  }
}
