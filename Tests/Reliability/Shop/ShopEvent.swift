// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a writer is about to do with its store, and what the library has told it that it has done.
enum ShopEvent: Equatable {
  /// The store is opened with a version of the model, which migrates it if it is of the other one.
  case opening(ShopVersion)
  case opened(ShopVersion)
  case saving(step: Int)
  case saved(step: Int)
  /// Old history is deleted.
  case tidying
  case tidied
  /// The store is copied to another place.
  case copying
  case copied
  /// The copy takes the store's place.
  case replacing
  case replaced
  case closing
  case closed

  /// The event as a line of text.
  var line: String {
    switch self {
    case .opening(let version): "opening \(version.rawValue)"
    case .opened(let version): "opened \(version.rawValue)"
    case .saving(let step): "saving \(step)"
    case .saved(let step): "saved \(step)"
    case .tidying: "tidying"
    case .tidied: "tidied"
    case .copying: "copying"
    case .copied: "copied"
    case .replacing: "replacing"
    case .replaced: "replaced"
    case .closing: "closing"
    case .closed: "closed"
    }
  }

  init?(line: some StringProtocol) {
    let words = line.split(separator: " ")
    let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
    let version = ShopVersion(rawValue: number)
    switch (words.first, version) {
    case ("opening", let version?): self = .opening(version)
    case ("opened", let version?): self = .opened(version)
    case ("saving", _): self = .saving(step: number)
    case ("saved", _): self = .saved(step: number)
    case ("tidying", _): self = .tidying
    case ("tidied", _): self = .tidied
    case ("copying", _): self = .copying
    case ("copied", _): self = .copied
    case ("replacing", _): self = .replacing
    case ("replaced", _): self = .replaced
    case ("closing", _): self = .closing
    case ("closed", _): self = .closed
    default: return nil
    }
  }
}

/// What a store must contain after events.
struct ShopLedger {
  let script: ShopScript
  /// What every acknowledged save or migration has made, in their order; at first nothing at all.
  private(set) var states: [Shop] = []
  /// What the store becomes when what has begun is done.
  private(set) var pending: Shop?
  /// What a copy of the store contains; `nil` when there is none that is whole.
  private(set) var copy: Shop?
  /// What happens now; `nil` between events.
  private(set) var current: ShopEvent?

  init(_ script: ShopScript, from shop: Shop? = nil) {
    self.script = script
    if let shop { states = [shop] }
  }

  /// What the library has promised to keep; `nil` before it has made the store.
  var acknowledged: Shop? { states.last }

  mutating func note(_ event: ShopEvent) {
    switch event {
    case .opening(let version):
      pending = acknowledged?.migrated(to: version) ?? Shop(version: version)
    case .saving:
      pending = acknowledged
      if var shop = pending {
        _ = script.advance(&shop)
        pending = shop
      }
    case .tidying: pending = acknowledged?.tidied
    case .copying: copy = nil
    case .copied: copy = acknowledged
    case .replacing: pending = copy
    case .opened, .saved, .tidied, .replaced:
      if let pending, pending != states.last { states.append(pending) }
      pending = nil
    case .closing, .closed: break
    }
    switch event {
    case .opening, .saving, .tidying, .copying, .replacing, .closing: current = event
    case .opened, .saved, .tidied, .copied, .replaced, .closed: current = nil
    }
  }

  /// Goes on with what a store was found to contain after a crash.
  mutating func goOn(with found: Shop) {
    states = [found]
    pending = nil
    copy = nil
    current = nil
  }
}
