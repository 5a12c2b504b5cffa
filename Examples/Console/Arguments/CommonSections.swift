// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The rows of help pages that several programs have.
public enum CommonSections {
  /// The variables that decide about colours and lines.
  public static let terminalVariables: [(term: String, help: String)] = [
    ("NO_COLOR", "no colours unless '--color always' is given, if it is set and not empty"),
    ("TERM", "'dumb' means a terminal without colours, live lists and progress"),
    ("COLUMNS", "the width of a terminal that does not tell its own"),
  ]

  /// The variables that decide where a program of this name keeps its store.
  public static func storeVariables(of program: String) -> [(term: String, help: String)] {
    [
      (
        "XDG_DATA_HOME",
        "the folder of all programs' data, in which '\(program)' has one (default: ~/.local/share, "
          + "on macOS ~/Library/Application Support)"
      ),
      ("HOME", "your own folder, where the default of XDG_DATA_HOME lies"),
      (
        "PGPASSWORD",
        "the password of a PostgreSQL server, beside what else libpq reads; others on the machine "
          + "can see what a command line holds"
      ),
    ]
  }

  /// The store's files.
  public static func storeFiles(of program: String) -> HelpSection {
    HelpSection(
      .files,
      [
        "$XDG_DATA_HOME/\(program)/\(program).sqlite":
          "the store, unless '--store' or '--store-path' says otherwise; while it is open, or when a "
          + "program was killed, files that end with -wal and -shm lie beside it",
        "$XDG_DATA_HOME/\(program)/\(program).json": "the store of '--store json'",
      ]
    )
  }

  /// The exit codes of a program that does one thing or fails.
  public static let exitCodes = HelpSection.exitCodes([
    .success: "done, also when the reader of the output went away",
    .failure: "failed; a message on standard error says why, and what to do",
    .cancelled: "cancelled with Ctrl-C",
    .usage: "the command line is wrong",
    .tryLater: "the same command may work later: somebody else is writing, or the network fails",
  ])
}
