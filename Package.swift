// swift-tools-version: 6.2
// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CompilerPluginSupport
import PackageDescription

/// What a store is made of, and what stores are made of; tests use them.
let contract: [Target.Dependency] = ["PerennialModel", "PerennialPredicate", "PerennialStore"]
let stores = contract + ["PerennialJSON", "PerennialSQL", "PerennialSQLite"]

let package = Package(
  name: "Perennial",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(
      name: "Perennial",
      targets: [
        "Perennial", "PerennialGraph", "PerennialModel", "PerennialPredicate", "PerennialStore",
      ]
    ),
    .library(name: "PerennialCoreDataNames", targets: ["PerennialCoreDataNames"]),
    .library(name: "PerennialModelCache", targets: ["PerennialModelCache"]),
    .library(name: "PerennialModelFiles", targets: ["PerennialModelFiles"]),
    .library(name: "PerennialPostgres", targets: ["PerennialPostgres"]),
    .library(name: "PerennialSQL", targets: ["PerennialSQL"]),
    .library(name: "PerennialTestKit", targets: ["PerennialTestKit"]),
    .executable(name: "perennial", targets: ["perennial-tool"]),
    .plugin(name: "PerennialCommand", targets: ["PerennialCommand"]),
    .plugin(name: "PerennialModelPlugin", targets: ["PerennialModelPlugin"]),
    .plugin(name: "GenerateModelClasses", targets: ["GenerateModelClasses"]),
  ],
  traits: [
    .trait(
      name: "PostgreSQL",
      description: "Stores on a PostgreSQL server; needs libpq (libpq-dev)"
    )
  ],
  targets: [
    // The library, from the bottom up.
    .macro(name: "PerennialMacros", dependencies: ["PerennialModel", "PerennialPredicate"]),
    .target(name: "PerennialModel"),
    .target(name: "PerennialPredicate", dependencies: ["PerennialModel"]),
    .target(name: "PerennialStore", dependencies: ["PerennialModel", "PerennialPredicate"]),
    .target(
      name: "PerennialSQL",
      dependencies: ["PerennialModel", "PerennialPredicate", "PerennialStore"]
    ),
    .systemLibrary(
      name: "CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"])]
    ),
    .target(
      name: "PerennialSQLite",
      dependencies: [
        "PerennialModel", "PerennialPredicate", "PerennialSQL", "PerennialStore",
        .target(name: "CSQLite", condition: .when(platforms: [.linux, .android, .windows])),
      ]
    ),
    .target(
      name: "PerennialJSON",
      dependencies: ["PerennialModel", "PerennialPredicate", "PerennialStore"]
    ),
    .target(
      name: "PerennialGraph",
      dependencies: ["PerennialModel", "PerennialPredicate", "PerennialStore"]
    ),
    .target(
      name: "Perennial",
      dependencies: [
        "PerennialGraph",
        "PerennialJSON", "PerennialMacros", "PerennialModel", "PerennialPredicate",
        "PerennialSQLite", "PerennialStore",
      ]
    ),
    .target(name: "PerennialCoreDataNames", dependencies: ["Perennial"]),
    .target(name: "PerennialModelFiles", dependencies: ["PerennialModel", "PerennialPredicate"]),
    // Models that Core Data keeps in its stores: the only target that links zlib.
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "PerennialModelCache",
      dependencies: ["CZlib", "PerennialModel", "PerennialModelFiles", "PerennialSQLite"]
    ),
    // Stores on a server: without libpq, and nothing but the dialect of SQL, while the trait is off.
    .systemLibrary(
      name: "CPostgres",
      pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
    ),
    .target(
      name: "PerennialPostgres",
      dependencies: [
        "PerennialModel", "PerennialPredicate", "PerennialSQL", "PerennialStore",
        .target(name: "CPostgres", condition: .when(traits: ["PostgreSQL"])),
      ]
    ),
    .target(name: "PerennialTestKit", dependencies: ["Perennial"], packageAccess: false),

    // The program.
    .executableTarget(
      name: "perennial-tool",
      dependencies: [
        "Console", "ConsoleStore", "Perennial", "PerennialJSON", "PerennialModel",
        "PerennialModelCache", "PerennialModelFiles", "PerennialPredicate", "PerennialSQLite",
        "PerennialStore",
      ],
      path: "Sources/PerennialTool"
    ),
    .plugin(
      name: "PerennialCommand",
      capability: .command(
        intent: .custom(
          verb: "perennial",
          description: "Compare models with those of the last release, or run 'perennial'"
        )
      ),
      dependencies: ["perennial-tool"]
    ),

    // Classes made of model files.
    .executableTarget(
      name: "perennial-model-generator",
      dependencies: ["PerennialModel", "PerennialModelFiles"]
    ),
    .plugin(
      name: "PerennialModelPlugin",
      capability: .buildTool(),
      dependencies: ["perennial-model-generator"]
    ),
    .plugin(
      name: "GenerateModelClasses",
      capability: .command(
        intent: .custom(
          verb: "generate-model-classes",
          description: "Writes the classes of model files that are edited by hand."
        ),
        permissions: [
          .writeToPackageDirectory(reason: "It writes the classes beside the model.")
        ]
      ),
      dependencies: ["perennial-model-generator"]
    ),

    // Tests, and what they share.
    .target(name: "RandomTesting", path: "Tests/RandomTesting"),
    .target(name: "RowTesting", dependencies: contract, path: "Tests/RowTesting"),
    .target(
      name: "ServerTesting",
      dependencies: ["PerennialModel", "PerennialPostgres"],
      path: "Tests/ServerTesting"
    ),
    client("LoopbackServer", at: "Tests/LoopbackServer", []),
    client("ProgramTesting", at: "Tests/ProgramTesting", []),
    .testTarget(
      name: "GeneratedModelTests",
      dependencies: ["Perennial", "PerennialModelFiles"],
      exclude: ["Models"],
      plugins: ["PerennialModelPlugin"]
    ),
    tests("PerennialModelTests", contract),
    tests("PerennialMacrosTests", ["PerennialMacros", "RandomTesting"]),
    tests(
      "PerennialModelFilesTests",
      contract + ["PerennialModelFiles", "ProgramTesting", "perennial-model-generator"],
      fixtures: true
    ),
    tests(
      "PerennialPredicateTests",
      contract + ["Perennial", "PerennialPostgres", "RandomTesting", "ServerTesting"],
      fixtures: true
    ),
    tests(
      "PerennialSQLiteTests",
      stores + [
        "PerennialPostgres", "RandomTesting", "RowTesting", "ServerTesting",
        .target(name: "CSQLite", condition: .when(platforms: [.linux, .android, .windows])),
      ],
      fixtures: true
    ),
    tests("PerennialSQLTests", stores + ["PerennialPostgres", "RandomTesting", "RowTesting"]),
    tests(
      "PerennialPostgresTests",
      stores + [
        "Perennial", "PerennialPostgres", "PerennialTestKit", "RandomTesting", "ServerTesting",
        "counter-peer",
      ]
    ),
    tests(
      "CoreDataStoreTests",
      stores + ["Perennial", "PerennialModelCache", "PerennialModelFiles", "RowTesting"],
      fixtures: true
    ),
    tests("PerennialJSONTests", stores + ["RandomTesting", "RowTesting"]),
    tests("MigrationTests", stores + ["RandomTesting", "RowTesting"]),
    tests(
      "PerennialGraphTests",
      stores + [
        "PerennialGraph", "PerennialPostgres", "RandomTesting", "RowTesting", "ServerTesting",
      ],
      fixtures: true
    ),
    tests("ServerStoreTests", contract + ["Perennial", "PerennialPostgres", "ServerTesting"]),

    // Tests that see what everybody sees, and programs that work on one store at the same time.
    client("HistoryPeerKit", at: "Tests/HistoryPeer/Kit", ["Perennial"]),
    program("history-peer", at: "Tests/HistoryPeer/Program", ["HistoryPeerKit"]),
    program("counter-peer", at: "Tests/CounterPeer", ["Perennial", "PerennialPostgres"]),
    client("CSVStore", at: "Tests/CSVStore", ["Perennial"]),
    client(
      "TablesStore",
      at: "Tests/TablesStore",
      [
        "Perennial", "PerennialSQL",
        .target(name: "CSQLite", condition: .when(platforms: [.linux, .android, .windows])),
      ]
    ),
    clientTests(
      "ConformanceTests",
      ["CSVStore", "Perennial", "PerennialSQL", "PerennialTestKit", "TablesStore"]
    ),
    clientTests(
      "PublicAPITests",
      ["HistoryPeerKit", "Perennial", "PerennialModelFiles", "PerennialTestKit", "history-peer"]
    ),
    clientTests(
      "PerennialToolTests",
      [
        "Perennial", "PerennialModelFiles", "ProgramTesting", "perennial-tool",
        .target(name: "CSQLite", condition: .when(platforms: [.linux, .android, .windows])),
      ],
      fixtures: true
    ),
    clientTests(
      "CoreDataNamesTests",
      [
        "Perennial", "PerennialCoreDataNames",
        .target(name: "CSQLite", condition: .when(platforms: [.linux, .android, .windows])),
      ]
    ),
    clientTests("TutorialTests", ["Perennial", "PerennialCoreDataNames"]),

    // Crashes, faults, hostile files, races: what `make crash` and its like run.
    .target(name: "FaultyFiles", dependencies: ["CSQLite"], path: "Tests/Reliability/FaultyFiles"),
    .executableTarget(
      name: "reliability",
      dependencies: stores + [
        "Console", "FaultyFiles", "Perennial", "PerennialGraph", "PerennialModelFiles",
        "RandomTesting", "RowTesting",
      ],
      path: "Tests/Reliability",
      exclude: ["FaultyFiles"]
    ),

    // Changes what the code means, to see whether tests notice: `make mutants`.
    .executableTarget(
      name: "mutants",
      dependencies: ["Console", "RandomTesting"],
      path: "Tests/Mutants"
    ),

    // Draws what the demo programs show in a terminal: `make recordings`.
    program("recordings", at: "Tests/Recordings", ["Console", "ProgramTesting"]),

    // The benchmark, beside raw Swift and raw C.
    client("BenchmarksRawC", at: "Tests/Benchmarks/RawC", ["CSQLite"]),
    .executableTarget(
      name: "perennial-bench",
      dependencies: ["BenchmarksRawC", "CSQLite", "Console", "Perennial"],
      path: "Tests/Benchmarks",
      exclude: ["Postgres", "RawC", "Thresholds.json"],
      packageAccess: false,
      swiftSettings: [.define("PERENNIAL")]
    ),

    // The demo programs.
    client("Console", at: "Examples/Console", []),
    client("CommitsKit", at: "Examples/Commits/Kit", ["Console"]),
    client("DemoHistory", at: "Examples/Commits/DemoHistory", ["CommitsKit", "Console"]),
    client("MoviesKit", at: "Examples/Movies/Kit", ["Console"]),
    client(
      "ConsoleStore",
      at: "Examples/ConsoleStore",
      [
        "Console", "Perennial",
        .target(name: "PerennialPostgres", condition: .when(traits: ["PostgreSQL"])),
      ]
    ),
    program(
      "demo-repo",
      at: "Examples/Commits/DemoRepo",
      ["CommitsKit", "Console", "DemoHistory"]
    ),
    program(
      "commits",
      at: "Examples/Commits/App",
      ["CommitsKit", "Console", "ConsoleStore", "Perennial"]
    ),
    program(
      "movies",
      at: "Examples/Movies/App",
      ["Console", "ConsoleStore", "MoviesKit", "Perennial"]
    ),
    clientTests("ConsoleTests", ["Console", "LoopbackServer", "ProgramTesting"]),
    tests(
      "CommitsTests",
      [
        "CommitsKit", "Console", "DemoHistory", "LoopbackServer", "ProgramTesting", "ServerTesting",
        "commits",
      ],
      fixtures: true
    ),
    clientTests(
      "MoviesTests",
      ["Console", "LoopbackServer", "MoviesKit", "ProgramTesting", "movies"],
      fixtures: true
    ),
  ],
  swiftLanguageModes: [.v6]
)

/// Tests in Tests/NAME, which see what the targets of this package share.
func tests(
  _ name: String,
  _ dependencies: [Target.Dependency],
  fixtures: Bool = false,
  sharing: Bool = true
) -> Target {
  .testTarget(
    name: name,
    dependencies: dependencies,
    resources: fixtures ? [.copy("Fixtures")] : [],
    packageAccess: sharing
  )
}

/// Tests in Tests/NAME, which see what everybody sees.
func clientTests(
  _ name: String,
  _ dependencies: [Target.Dependency],
  fixtures: Bool = false
) -> Target {
  tests(name, dependencies, fixtures: fixtures, sharing: false)
}

/// A part of programs, which sees what everybody sees.
func client(_ name: String, at folder: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: folder, packageAccess: false)
}

/// A program, which sees what everybody sees.
func program(_ name: String, at folder: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: folder, packageAccess: false)
}

// `make bench-postgres` takes the workload of `perennial-bench`, whose place it has: a file belongs to one target.
if Context.environment["PERENNIAL_BENCH_POSTGRES"] != nil,
  let bench = package.targets.first(where: { $0.name == "perennial-bench" })
{
  bench.name += "-postgres"
  bench.dependencies = ["CPostgres", "Perennial", "PerennialPostgres"]
  bench.exclude = ["Postgres/Thresholds.json", "RawC", "Thresholds.json"]
  bench.sources = ["Ours/Model.swift", "Postgres", "Results/MachineFacts.swift", "Workload"]
}

// `make test-postgres` builds the tests of some targets only.
if let tests = Context.environment["PERENNIAL_TESTS"] {
  let names = tests.split(separator: ",").map(String.init)
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

for target in package.targets where target.type != .system && target.type != .plugin {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      .enableUpcomingFeature("InferIsolatedConformances"),
      .enableUpcomingFeature("ImmutableWeakCaptures"),
    ]
}
