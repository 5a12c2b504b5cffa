// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Testing

@Suite struct `Help pages` {
  @Test(arguments: [[], ["--help"], ["-h"], ["help"], ["--json", "--help"]])
  func `the tool's help tells what it is for, its commands and all that they share`(
    arguments: [String]
  ) throws {
    guard case .print(let text) = try SampleTool.tool.parse(arguments) else {
      Issue.record("no help")
      return
    }
    #expect(
      text == """
        Samples things.

        Usage: sample COMMAND [OPTIONS]

        The first paragraph has two lines.

        .The second begins with a dot; \\fB is no macro, nor is 'this'.

        Commands:
          list                    List things
          family add NAME [NOTE]  Add somebody
          family list             List everybody
          scan FOLDER [KIND]      Scan a folder
          completions SHELL       Print a script that completes command lines in a shell
          man                     Print the manual page

        Options of every command:
          --json                     print JSON
          --color auto|always|never  when to use colours
          --help                     show this page

        Examples:
          sample scan .
              the current folder

        Exit codes:
          0   done
          64  the command line is wrong

        Environment variables:
          SAMPLE_PATH  where things are looked for when nothing else is said, which
                       takes more than one line

        Files:
          ~/.sample  settings

        Things:
          T1  the first

        Run 'sample COMMAND --help' for a command's options and examples.

        """
    )
  }

  @Test(arguments: [["list", "--help"], ["help", "list"], ["--help", "list"]])
  func `a command's help has its options and examples`(arguments: [String]) throws {
    guard case .print(let text) = try SampleTool.tool.parse(arguments) else {
      Issue.record("no help")
      return
    }
    #expect(
      text == """
        List things

        Usage: sample list [OPTIONS]

        Things are listed.

        Options:
          --fixes        only fixes
          --limit N      at most N
          --author NAME  only this author's [own]: all
          --from FILE    a file

        Options of every command:
          --json                     print JSON
          --color auto|always|never  when to use colours
          --help                     show this page

        Examples:
          sample list --limit 3
              three things
          sample list --author "O'Neil"

        """
    )
  }

  @Test func `the first word of commands that have two shows only those`() throws {
    let text = try #require(try SampleTool.text("family", "--help"))
    #expect(text.contains("Usage: sample family COMMAND [OPTIONS]"))
    #expect(text.contains("family add NAME [NOTE]"))
    #expect(!text.contains("scan"))
  }

  @Test func `the help of a tool with one command is one page`() throws {
    let tool = CommandLineTool(
      "copy",
      summary: "Copies.",
      commands: [
        Command("", summary: "Copies.", positionals: [SampleTool.name], examples: ["a": ""])
      ],
      sections: [.exitCodes([.success: "done"])]
    )
    guard case .print(let text) = try tool.parse(["--help"]) else {
      Issue.record("no help")
      return
    }
    #expect(
      text == """
        Copies.

        Usage: copy NAME [OPTIONS]

        Arguments:
          NAME  the name

        Options:
          --help  show this page

        Examples:
          copy a

        Exit codes:
          0  done

        """
    )
    guard case .run(let parsed) = try tool.parse(["man"]) else {
      Issue.record("no command")
      return
    }
    #expect(parsed[SampleTool.name] == "man")
  }
}
