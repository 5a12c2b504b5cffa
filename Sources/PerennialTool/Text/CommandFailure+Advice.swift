// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console

extension CommandFailure {
  /// What to do on a command line where the library's advice is for those who write programs with it: by a word of
  /// that advice.
  private static let advices = [
    ("busyTimeout", "Run the command again when nobody else is writing to it."),
    ("containers that have it open", "End the programs that have it open."),
    ("isReadOnly", "Allow writing to the file and its folder."),
    ("Check the URL", "Check the path; the file has been left as it is."),
    ("withSubstitutionVariables", "Write the value itself in the place of the variable."),
  ]

  /// The failure with advice for who runs a command.
  var withAdviceForCommands: CommandFailure {
    var failure = self
    // What is said about files is not true of servers.
    guard !message.contains("://") else {
      if advice.contains("isReadOnly") {
        failure.advice = "Check the address: nothing is stored there."
      }
      return failure
    }
    for (word, advice) in Self.advices where self.advice.contains(word) { failure.advice = advice }
    return failure
  }

  /// Rows name large values whose files are not there.
  static func lacksLargeValues(_ count: Int, _ file: StoreFile) -> CommandFailure {
    CommandFailure(
      "the store '\(file.name.escapedForTerminal)' lacks \(count.counted("large value"))",
      advice: "Put the folder '.NAME_SUPPORT' back beside it: until then they are read as none."
    )
  }
}
