// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The arguments of the program.
struct Arguments {
  static let usage = """
    usage: perennial-model-generator MODEL --output FILE [--options FILE]
           perennial-model-generator MODEL --folder FOLDER [--options FILE]

    Writes Swift source for a model: an .xcdatamodeld or an .xcdatamodel. The plug-ins PerennialModelPlugin and
    GenerateModelClasses call it.

      --output FILE    write what the build needs into one file
      --folder FOLDER  write the classes that are edited by hand, each into a file of its own; files that are
                       there stay as they are
      --options FILE   JSON such as { "access": "public" }: what the target's perennial-models.json has

    What is wrong has the form of the compiler's messages. Exit codes: 0 done, 1 the model cannot be read or a file
    cannot be written, 2 the command line is wrong.
    """

  /// Where source goes.
  enum Target {
    /// Into one file, which is written anew.
    case file(URL)
    /// Into a folder, for files that are not there yet.
    case folder(URL)
  }

  /// A sentence that says what is wrong.
  struct Mistake: Error {
    let message: String
  }

  let model: URL
  let target: Target
  let options: URL?

  init(_ arguments: [String]) throws(Mistake) {
    var values: [String: URL] = [:]
    var model: URL?
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if ["--output", "--folder", "--options"].contains(argument) {
        guard let value = rest.popFirst() else {
          throw Mistake(message: "'\(argument)' needs a path behind it")
        }
        values[argument] = URL(filePath: value)
      } else if argument.hasPrefix("-") {
        throw Mistake(message: "there is no option '\(argument)'")
      } else if model == nil {
        model = URL(filePath: argument)
      } else {
        throw Mistake(message: "there is more than one model: '\(argument)'")
      }
    }
    guard let model else { throw Mistake(message: "there is no model") }
    self.model = model
    options = values["--options"]
    switch (values["--output"], values["--folder"]) {
    case (let file?, nil): target = .file(file)
    case (nil, let folder?): target = .folder(folder)
    default: throw Mistake(message: "give one of '--output' and '--folder'")
    }
  }
}
