// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// Something that is kept in step with the objects of a context: a list, or numbers about one.
protocol LiveResult: AnyObject {
  /// The place of the entity that is looked at.
  var shownEntity: Int? { get }
  /// Whether objects of a family of entities are looked at.
  func shows(_ family: Range<Int>) -> Bool
  /// Notes what may have changed.
  func note(_ news: ResultsNews)
  /// Looks at what was noted; runs no user code.
  func prepare()
  /// Tells of what changed, if anything did; may run any code.
  func deliver()
}

extension LiveResult {
  func shows(_ family: Range<Int>) -> Bool { shownEntity.map(family.contains) == true }
}

/// What is kept in step with a context.
///
/// All of it is brought up to date before anybody is told: so whoever is told finds everything in step,
/// and what he changes belongs to the next event.
final class LiveResults {
  private struct Entry {
    weak var result: (any LiveResult)?
  }

  private var entries: [Entry] = []
  private var news = ResultsNews()
  /// What the context's parent passes on.
  var link: LiveResultsOfChild?

  /// Whether nothing is kept in step.
  var isEmpty: Bool { entries.isEmpty }

  /// Whether all has been passed on that was noted.
  var isUpToDate: Bool { news.isEmpty }

  /// The entities that are looked at, by their places.
  var shownEntities: Set<Int> { Set(entries.compactMap { $0.result?.shownEntity }) }

  /// Whether objects of a family of entities are looked at, here or in a child.
  func shows(_ family: Range<Int>) -> Bool {
    entries.contains { $0.result?.shows(family) == true }
  }

  func add(_ result: any LiveResult) { entries.append(Entry(result: result)) }

  func remove(_ result: any LiveResult) {
    entries.removeAll { $0.result == nil || $0.result === result }
  }

  /// Notes what may have changed; told by the next ``report()``.
  func note(_ body: (inout ResultsNews) -> Void) {
    guard !isEmpty else { return }
    body(&news)
  }

  /// Brings everything up to date, and tells.
  func report() {
    let news = news
    self.news = ResultsNews()
    let results = entries.compactMap(\.result)
    if !news.isEmpty { for result in results { result.note(news) } }
    for result in results { result.prepare() }
    for result in results { result.deliver() }
  }
}

/// Passes what changes in a context on to the lists of a child, which sees it by its fetches.
final class LiveResultsOfChild: LiveResult {
  private weak let child: ManagedObjectContext?

  init(_ child: ManagedObjectContext) { self.child = child }

  var shownEntity: Int? { nil }
  func shows(_ family: Range<Int>) -> Bool { child?.liveResults.shows(family) == true }
  func note(_ news: ResultsNews) {
    guard let child else { return }
    child.liveResults.note { $0.formUnion(news.passed(to: child)) }
  }
  func prepare() {}
  func deliver() { child?.liveResults.report() }
}

extension ManagedObjectContext {
  /// Keeps something in step with the context's objects, until it is dismissed.
  func keepInStep(_ result: any LiveResult) {
    liveResults.add(result)
    noteLiveResults()
  }

  func dismiss(_ result: any LiveResult) {
    liveResults.remove(result)
    noteLiveResults()
  }

  private func noteLiveResults() {
    notices.hasLiveResults = !liveResults.isEmpty
    updateTracking()
    guard let parent else { return }
    if let link = liveResults.link, liveResults.isEmpty {
      liveResults.link = nil
      parent.dismiss(link)
    } else if !liveResults.isEmpty, liveResults.link == nil {
      let link = LiveResultsOfChild(self)
      liveResults.link = link
      parent.keepInStep(link)
    }
  }
}
