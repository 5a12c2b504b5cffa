// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Answers the compiler's messages, one answer for each.
///
/// The protocol is described in the article Macros.
struct PluginServer {
  /// The version of the protocol that this plug-in was written for.
  static let protocolVersion = 7

  private var expander = Expander()

  /// Answers one message.
  ///
  /// - Parameter message: The message's body.
  /// - Returns: The answer's body; a diagnostic when the message is not understood.
  mutating func answer(_ message: [UInt8]) -> [UInt8] {
    Array(answer(JSONReader.read(message)).text.utf8)
  }

  /// Answers messages until the stream ends.
  mutating func run(_ stream: MessageStream) {
    while true {
      switch stream.receive() {
      case .message(let body):
        guard stream.send(answer(body)) else { return }
      case .tooLong:
        _ = stream.send(Array(Self.refusal(.messageTooLong).text.utf8))
        return
      case .end:
        return
      }
    }
  }

  private mutating func answer(_ message: JSON?) -> JSON {
    guard let message, case .object(let members) = message, let request = members.first else {
      return Self.refusal(.unreadableMessage)
    }
    switch request.name {
    case "getCapability": return Self.capability(request.value)
    case "expandAttachedMacro": return expander.expand(ExpansionRequest(request.value)).answer
    case "expandFreestandingMacro":
      return expander.expand(ExpansionRequest(freestanding: request.value)).answer
    default: return Self.refusal(.unknownMessage(request.name))
    }
  }

  private static func capability(_ request: JSON) -> JSON {
    let asked = request["capability"]?["protocolVersion"]?.integer ?? protocolVersion
    let version = JSON.integer(min(protocolVersion, asked))
    return [
      "getCapabilityResult": ["capability": ["protocolVersion": version]]
    ]
  }

  private static func refusal(_ message: Diagnostic.Message) -> JSON {
    Expansion(diagnostics: [Diagnostic(message, in: .empty, at: 0..<0)]).answer
  }
}
