// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A list on the whole screen that is drawn again when it changes.
///
/// Invariant: what is on the screen is the frame of the present content, offset and size.
@MainActor
public final class LiveList {
  /// What is shown, as the owner of the data tells it when a frame is drawn.
  public struct Content {
    /// Title, summary, sections and the text for an empty list; size and offset do not matter.
    public var frame: LiveFrame
    /// The text of a row, and what happened to it.
    public var row: (LiveFrame.Place, Int) -> (text: (Style) -> String, mark: LiveFrame.Mark)
    /// A row that must be seen, nil to stay where the list is.
    public var focus: LiveFrame.Place?

    /// Makes content.
    public init(
      frame: LiveFrame,
      focus: LiveFrame.Place? = nil,
      row: @escaping (LiveFrame.Place, Int) -> (text: (Style) -> String, mark: LiveFrame.Mark)
    ) {
      self.frame = frame
      self.focus = focus
      self.row = row
    }
  }

  private let screen: LiveScreen
  private let style: Style
  private let content: () throws -> Content
  private var offset = 0

  /// Takes the terminal; ``run(drawing:)`` gives it back.
  ///
  /// - Parameters:
  ///   - terminal: The terminal, which must show the output.
  ///   - content: Called for every frame.
  /// - Throws: ``CommandFailure`` when the terminal does not let itself be taken.
  public init(_ terminal: Terminal, content: @escaping () throws -> Content) throws {
    screen = try LiveScreen(terminal.output)
    style = terminal.style
    self.content = content
  }

  /// Shows the list until the user ends it.
  ///
  /// - Parameter changes: Has a value whenever the content has changed.
  /// - Throws: `Interruption.Cancelled` after Ctrl-C, `CancellationError` when the task is cancelled,
  ///   whatever the content throws.
  public func run(drawing changes: AsyncStream<Void>) async throws {
    defer { screen.close() }
    let events = events(changes)
    try draw(followsFocus: true)
    for await event in events {
      switch event {
      case .changed: try draw(followsFocus: true)
      case .resized: try draw(followsFocus: false)
      case .key(let key): guard try handle(key) else { return }
      case .ended:
        // The streams end one after the other when the task is cancelled.
        return try Task.checkCancellation()
      }
    }
    try Task.checkCancellation()
  }

  /// What the list has to answer.
  private enum Event: Sendable {
    case changed
    case resized
    case key(Key)
    case ended
  }

  /// Changes, sizes and keys in one stream.
  private func events(_ changes: AsyncStream<Void>) -> AsyncStream<Event> {
    let sizes = SignalPipe.resizes()
    let (events, continuation) = AsyncStream<Event>.makeStream()
    let tasks = [
      Task {
        for await _ in changes { continuation.yield(.changed) }
        continuation.yield(.ended)
      },
      Task {
        for await _ in sizes { continuation.yield(.resized) }
      },
      Task {
        for await key in KeyReader.keys() { continuation.yield(.key(key)) }
        continuation.yield(.ended)
      },
    ]
    continuation.onTermination = { _ in
      for task in tasks { task.cancel() }
    }
    return events
  }

  private func draw(followsFocus: Bool) throws {
    let content = try content()
    var frame = content.frame
    frame.size = .current
    frame.offset = min(offset, frame.lastOffset)
    if followsFocus, let focus = content.focus { frame.offset = frame.offset(showing: focus) }
    offset = frame.offset
    try screen.show(frame.lines(style: style, row: content.row))
  }

  /// - Returns: Whether the list goes on.
  private func handle(_ key: Key) throws -> Bool {
    let page = max(1, TerminalSize.current.rows - 3)
    switch key {
    case .quit: return false
    case .interrupt: throw Interruption.Cancelled()
    case .up: offset -= 1
    case .down: offset += 1
    case .pageUp: offset -= page
    case .pageDown: offset += page
    case .home: offset = 0
    case .end: offset = .max
    }
    offset = max(0, offset)
    try draw(followsFocus: false)
    return true
  }
}
