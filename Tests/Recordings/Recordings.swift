// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation

/// The program behind `make recordings`: runs the demo programs in a terminal, and draws what they show.
@main
enum Recordings {
  private static let folder = Positional(
    "FOLDER",
    help: "where the pictures are written",
    completion: .folders
  )

  private static let tool = CommandLineTool(
    "recordings",
    summary: "Runs the demo programs in a terminal, and draws what they show.",
    commands: [
      Command(
        "",
        summary: "Runs the demo programs in a terminal, and draws what they show.",
        discussion: """
          The pictures are SVG, one for each program, light or dark as the reader's screen is. Every \
          character in them was printed by the programs, which are looked for beside this one.
          """,
        positionals: [folder],
        examples: ["Documentation/Recordings": ""]
      )
    ],
    sections: [
      .exitCodes([
        .success: "the pictures are there",
        .failure: "a program has failed, or shows something else",
        .usage: "the command line is wrong",
      ])
    ]
  )

  static func main() async {
    let arguments = tool.argumentsOrExit(Array(CommandLine.arguments.dropFirst()))
    do {
      try await record(into: URL(filePath: arguments[Self.folder] ?? "."))
    } catch {
      FileHandle.standardError.write(Data("recordings: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func record(into folder: URL) async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, frames) in [
      ("commits", try await CommitsRecording().frames()),
      ("movies", try await MoviesRecording().frames()),
    ] {
      let picture = Picture(title: "A recording of \(name) in a terminal", frames: frames)
      try Data(picture.svg.utf8).write(to: folder.appending(path: "\(name).svg"))
      print("\(name).svg: \(picture.svg.utf8.count) bytes, \(frames.count) frames")
    }
  }
}
