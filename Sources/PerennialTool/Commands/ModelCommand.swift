// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import PerennialModel
import PerennialModelFiles

/// `perennial model`: shows a model as text, as JSON, or as a diagram.
struct ModelCommand {
  private enum Form: CaseIterable {
    case swift, mermaid, dot, svg, json

    var flag: Flag {
      switch self {
      case .swift: ToolArguments.swift
      case .mermaid: ToolArguments.mermaid
      case .dot: ToolArguments.dot
      case .svg: ToolArguments.svg
      case .json: CommonOptions.json
      }
    }
  }

  private let terminal: Terminal
  private let path: String
  private let version: String?
  /// What is printed, nil for the summary.
  private let form: Form?

  init(_ arguments: ParsedArguments, _ terminal: Terminal) throws {
    self.terminal = terminal
    path = arguments.word(ToolArguments.source)
    version = arguments[ToolArguments.version]
    let forms = Form.allCases.filter { arguments[$0.flag] }
    guard forms.count < 2 else {
      throw CommandFailure.usage(
        "'--\(forms[0].flag.name)' and '--\(forms[1].flag.name)' exclude each other",
        "Leave one of them out."
      )
    }
    form = forms.first
  }

  func run() throws {
    let loaded = try LoadedModel(path: path, version: version)
    loaded.noteDiagnostics(terminal)
    let output = terminal.output
    switch form {
    case .swift:
      // Of the current version the plug-in makes an enum with the name of the file.
      let isCurrent = version == nil && !loaded.versionNames.isEmpty
      let fileName = URL(filePath: path).deletingPathExtension().lastPathComponent
      let source = loaded.document.swiftSource(named: isCurrent ? fileName : nil)
      loaded.note(source.warnings + source.notes, terminal)
      try output.write(source.text)
    case .mermaid: try output.write(Diagram(loaded.model, name: loaded.name).mermaid)
    case .dot: try output.write(Diagram(loaded.model, name: loaded.name).dot)
    case .svg: try output.write(Diagram(loaded.model, name: loaded.name).svg)
    case .json: try output.writeLine(ModelSummary(loaded).json.text)
    case nil:
      for line in ModelSummary(loaded).lines(terminal.style) { try output.writeLine(line) }
    }
  }
}
