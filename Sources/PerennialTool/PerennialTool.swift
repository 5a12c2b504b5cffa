// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import ConsoleStore
import Foundation
import Perennial

/// The program `perennial`: looks into stores and models, copies and compares them.
@main
enum PerennialTool {
  static func main() async {
    let program = ConsoleProgram(ToolArguments.tool, color: CommonOptions.color)
    await program.runAndExit { arguments, terminal in
      do {
        try await Self.run(arguments, terminal)
      } catch let error as PerennialError {
        throw CommandFailure(error).withAdviceForCommands
      } catch let failure as CommandFailure {
        throw failure.withAdviceForCommands
      }
    }
  }

  private static func run(_ arguments: ParsedArguments, _ terminal: Terminal) async throws {
    switch arguments.command {
    case ToolArguments.inspect.name: try InspectCommand(arguments, terminal).run()
    case ToolArguments.dump.name: try DumpCommand(arguments, terminal).run()
    case ToolArguments.model.name: try ModelCommand(arguments, terminal).run()
    case ToolArguments.checkMigration.name:
      try CheckMigrationCommand(arguments, terminal).run()
    case ToolArguments.diff.name: try DiffCommand(arguments, terminal).run()
    case ToolArguments.hash.name: try HashCommand(arguments, terminal).run()
    case ToolArguments.convert.name: try ConvertCommand(arguments, terminal).run()
    case ToolArguments.vacuum.name: try VacuumCommand(arguments, terminal).run()
    default: try BackupCommand(arguments, terminal).run()
    }
  }
}
