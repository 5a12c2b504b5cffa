// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console

/// The command line of `reliability`: a command for each trial.
enum ReliabilityTool {
  static let short = Flag("short", help: "do so little that it takes less than a minute")
  static let seed = Option(
    "seed",
    placeholder: "N",
    help: "do what another run with this seed did (default: a new one, which is printed)",
    expects: "a whole number, 0 or more",
    convert: { UInt64($0) }
  )
  static let count = Option(
    count: "count",
    help: "do so much of it instead of what is usual; each trial says what it counts"
  )

  static let tool = CommandLineTool(
    "reliability",
    summary: "Does bad things to stores, and says whether they kept their promises.",
    discussion: """
      What is promised, what is done and what was found is in the documentation, under Reliability. \
      Every trial prints its seed first and its counts last; what is lost or broken is told with \
      what is needed to see it again. 'make crash' and its like build the program and run a trial; \
      'make races' builds it with the thread sanitizer.

      A child process of a trial is started with '--child' and arguments of its own.
      """,
    switches: [.flag(short), .option(seed), .option(count)],
    commands: Reliability.trials.map { trial in
      Command(
        trial.name,
        summary: trial.about,
        discussion: trial.usualCount,
        examples: ["\(trial.name) --short": "", "\(trial.name) --seed 7 --count 20": ""]
      )
    },
    examples: [
      "crash": "10,000 kills",
      "power --short --seed 7": "a little of it, always the same",
    ],
    sections: [
      .exitCodes([
        .success: "every promise was kept",
        .failure: "a promise was broken; the lines before say which, and how to see it again",
        .cancelled: "the trial itself could not go on",
        .usage: "the command line is wrong",
      ]),
      HelpSection(
        .environment,
        [
          "TSAN_OPTIONS": "what the thread sanitizer does, in a program that was built with it",
          "TMPDIR": "where the stores are made",
        ]
      ),
    ]
  )
}
