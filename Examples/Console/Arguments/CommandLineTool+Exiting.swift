// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

extension CommandLineTool {
  /// Reads a command line for a program that has no ``ConsoleProgram``: one that takes signals as they are, or
  /// measures itself.
  ///
  /// A help page is printed, what is wrong is told, and both end the process.
  ///
  /// - Parameter arguments: The arguments, without the program's name.
  /// - Returns: What is to be done.
  public func argumentsOrExit(_ arguments: [String]) -> ParsedArguments {
    do throws(CommandFailure) {
      switch try parse(arguments) {
      case .run(let parsed): return parsed
      case .print(let text):
        FileHandle.standardOutput.write(Data(text.utf8))
        exit(ExitCode.success.rawValue)
      }
    } catch {
      FileHandle.standardError.write(Data("\(name): \(error)\n".utf8))
      exit(error.status.rawValue)
    }
  }
}
