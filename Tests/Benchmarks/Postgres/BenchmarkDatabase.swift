// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The tables on which all sides work: made by Perennial, in a database without others.
struct BenchmarkDatabase {
  private let session: RawSession
  private let url: String
  private let workload: Workload

  /// Makes the tables.
  init(_ url: String, _ workload: Workload) throws {
    self.url = url
    self.workload = workload
    session = try RawSession(url)
    let tables = try session.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
    guard tables.decimal(0, 0) == 0 else {
      throw BenchmarkError("The database has tables already; the bench wants one without any.")
    }
    _ = try OurPostgresSide(url)
  }

  /// The versions of server and library, for the page.
  func facts() throws -> [String] {
    let settings = try session.execute(
      "SELECT version(), current_setting('fsync'), current_setting('shared_buffers')"
    )
    return [
      "Server: \(settings.text(0, 0)), fsync \(settings.text(0, 1)), shared_buffers \(settings.text(0, 2))",
      "libpq: \(RawSession.libraryVersion)",
    ]
  }

  func removeTables() throws {
    try session.execute("DROP SCHEMA public CASCADE")
    try session.execute("CREATE SCHEMA public")
  }

  /// Empties all tables.
  func clear() throws {
    try session.execute("TRUNCATE zcommit, zauthor, perennial_log, perennial_save")
    try session.execute("UPDATE z_primarykey SET z_max = 0")
  }

  /// Fills them with the workload, as they are some time after it was written.
  func fill() throws {
    try clear()
    try RawInsertion(url).run(workload)
    try session.execute("VACUUM ANALYZE")
  }

  /// Throws unless an operation has written what it should.
  func check(_ trial: PostgresTrial, _ sum: UInt64) throws {
    let commits = trial.workload.commits
    let isRight: Bool
    switch trial.operation {
    case .readAll, .lookUpBatches, .lookUpAll, .lookUpOne:
      isRight = sum == trial.batches.joined().reduce(0) { $0 &+ Workload.sum(of: $1) }
    case .insert:
      let found = try session.execute(
        "SELECT count(*) FROM zcommit AS c JOIN zauthor AS a ON c.zauthor = a.z_pk"
      )
      isRight =
        try found.decimal(0, 0) == commits.count
        && RawReading(url).readAll() == trial.workload.sum
    case .saveMany, .saveOne:
      let found = try session.execute(
        "SELECT count(*) FROM zcommit WHERE zmessage LIKE '%\(trial.ending)'"
      )
      isRight = found.decimal(0, 0) == trial.operation.count(of: commits.count)
    }
    guard isRight else {
      throw BenchmarkError("\(trial.operation.rawValue): the values are not those of the workload.")
    }
  }
}
