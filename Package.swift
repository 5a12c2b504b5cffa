// swift-tools-version: 6.2
// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CompilerPluginSupport
import PackageDescription

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

    // Tests.
    .target(name: "RandomTesting", path: "Tests/RandomTesting"),
    .target(
      name: "RowTesting",
      dependencies: ["PerennialModel", "PerennialStore"],
      path: "Tests/RowTesting"
    ),
    .target(
      name: "ServerTesting",
      dependencies: ["PerennialModel", "PerennialPostgres"],
      path: "Tests/ServerTesting"
    ),
    .target(name: "LoopbackServer", path: "Tests/LoopbackServer", packageAccess: false),
    .target(name: "ProgramTesting", path: "Tests/ProgramTesting", packageAccess: false),
    .testTarget(name: "PerennialModelTests", dependencies: ["PerennialModel", "PerennialStore"]),
    .testTarget(
      name: "GeneratedModelTests",
      dependencies: ["Perennial", "PerennialModelFiles"],
      exclude: ["Models"],
      plugins: ["PerennialModelPlugin"]
    ),
    .testTarget(name: "PerennialMacrosTests", dependencies: ["PerennialMacros", "RandomTesting"]),
    .testTarget(
      name: "PerennialModelFilesTests",
      dependencies: ["PerennialModel", "PerennialModelFiles", "perennial-model-generator"],
      resources: [.copy("Fixtures")]
    ),
    .testTarget(
      name: "PerennialPredicateTests",
      dependencies: [
        "Perennial", "PerennialModel", "PerennialPostgres", "PerennialPredicate", "RandomTesting",
        "ServerTesting",
      ],
      resources: [.copy("Fixtures")]
    ),
    .testTarget(
      name: "PerennialSQLiteTests",
      dependencies: [
        "PerennialModel", "PerennialPostgres", "PerennialPredicate", "PerennialSQL",
        "PerennialSQLite", "PerennialStore", "RandomTesting", "RowTesting", "ServerTesting",
      ],
      resources: [.copy("Fixtures")]
    ),
    .testTarget(
      name: "PerennialSQLTests",
      dependencies: [
        "PerennialModel", "PerennialPostgres", "PerennialPredicate", "PerennialSQL",
        "PerennialSQLite", "PerennialStore", "RandomTesting", "RowTesting",
      ]
    ),
    .testTarget(
      name: "PerennialPostgresTests",
      dependencies: [
        "Perennial", "PerennialModel", "PerennialPostgres", "PerennialPredicate", "PerennialSQL",
        "PerennialStore", "PerennialTestKit", "RandomTesting", "ServerTesting", "counter-peer",
      ]
    ),
    .testTarget(
      name: "CoreDataStoreTests",
      dependencies: [
        "Perennial", "PerennialModel", "PerennialModelCache", "PerennialModelFiles",
        "PerennialSQL", "PerennialSQLite", "PerennialStore", "RowTesting",
      ],
      resources: [.copy("Fixtures")]
    ),
    .testTarget(
      name: "PerennialJSONTests",
      dependencies: [
        "PerennialJSON", "PerennialModel", "PerennialPredicate", "PerennialStore", "RandomTesting",
        "RowTesting",
      ]
    ),
    .testTarget(
      name: "MigrationTests",
      dependencies: [
        "PerennialJSON", "PerennialModel", "PerennialSQLite", "PerennialStore", "RandomTesting",
        "RowTesting",
      ]
    ),
    .testTarget(
      name: "PerennialGraphTests",
      dependencies: [
        "PerennialGraph", "PerennialJSON", "PerennialModel", "PerennialPostgres",
        "PerennialPredicate", "PerennialSQLite", "PerennialStore", "RandomTesting",
        "ServerTesting",
      ],
      resources: [.copy("Fixtures")]
    ),
    .testTarget(
      name: "ServerStoreTests",
      dependencies: [
        "Perennial", "PerennialModel", "PerennialPostgres", "PerennialStore", "ServerTesting",
      ]
    ),

    // Programs that work on one store at the same time.
    .target(
      name: "HistoryPeerKit",
      dependencies: ["Perennial"],
      path: "Tests/HistoryPeer/Kit",
      packageAccess: false
    ),
    .executableTarget(
      name: "history-peer",
      dependencies: ["HistoryPeerKit"],
      path: "Tests/HistoryPeer/Program",
      packageAccess: false
    ),
    .executableTarget(
      name: "counter-peer",
      dependencies: ["Perennial", "PerennialPostgres"],
      path: "Tests/CounterPeer",
      packageAccess: false
    ),
    // Stores against the behaviours of the kit; one of them as a third party writes it.
    .target(
      name: "CSVStore",
      dependencies: ["Perennial"],
      path: "Tests/CSVStore",
      packageAccess: false
    ),
    .testTarget(
      name: "ConformanceTests",
      dependencies: ["CSVStore", "Perennial", "PerennialTestKit"],
      packageAccess: false
    ),
    .testTarget(
      name: "PublicAPITests",
      dependencies: ["HistoryPeerKit", "Perennial", "PerennialModelFiles", "history-peer"],
      packageAccess: false
    ),
    .testTarget(
      name: "PerennialToolTests",
      dependencies: ["Perennial", "PerennialModelFiles", "ProgramTesting", "perennial-tool"],
      resources: [.copy("Fixtures")],
      packageAccess: false
    ),
    .testTarget(
      name: "CoreDataNamesTests",
      dependencies: [
        "Perennial", "PerennialCoreDataNames",
        .target(name: "CSQLite", condition: .when(platforms: [.linux, .android, .windows])),
      ],
      packageAccess: false
    ),

    .testTarget(
      name: "TutorialTests",
      dependencies: ["Perennial", "PerennialCoreDataNames"],
      packageAccess: false
    ),

    // The benchmark, beside raw Swift and raw C.
    .target(
      name: "BenchmarksRawC",
      dependencies: ["CSQLite"],
      path: "Tests/Benchmarks/RawC",
      packageAccess: false
    ),
    .executableTarget(
      name: "perennial-bench",
      dependencies: ["BenchmarksRawC", "CSQLite", "Perennial"],
      path: "Tests/Benchmarks",
      exclude: ["Postgres", "RawC", "Thresholds.json"],
      packageAccess: false,
      swiftSettings: [.define("PERENNIAL")]
    ),

    // The demo programs.
    demo("Console", at: "Console", []),
    demo("CommitsKit", at: "Commits/Kit", ["Console"]),
    demo("DemoHistory", at: "Commits/DemoHistory", ["CommitsKit", "Console"]),
    demo("MoviesKit", at: "Movies/Kit", ["Console"]),
    demo(
      "ConsoleStore",
      at: "ConsoleStore",
      [
        "Console", "Perennial",
        .target(name: "PerennialPostgres", condition: .when(traits: ["PostgreSQL"])),
      ]
    ),
    program("demo-repo", at: "Commits/DemoRepo", ["CommitsKit", "Console", "DemoHistory"]),
    program(
      "commits",
      at: "Commits/App",
      ["CommitsKit", "Console", "ConsoleStore", "Perennial"]
    ),
    program("movies", at: "Movies/App", ["Console", "ConsoleStore", "MoviesKit", "Perennial"]),
    .testTarget(
      name: "ConsoleTests",
      dependencies: ["Console", "LoopbackServer"],
      packageAccess: false
    ),
    .testTarget(
      name: "CommitsTests",
      dependencies: [
        "CommitsKit", "Console", "DemoHistory", "LoopbackServer", "ProgramTesting", "commits",
      ],
      resources: [.copy("Fixtures")],
      packageAccess: false
    ),
    .testTarget(
      name: "MoviesTests",
      dependencies: ["Console", "LoopbackServer", "MoviesKit", "ProgramTesting", "movies"],
      resources: [.copy("Fixtures")],
      packageAccess: false
    ),
  ],
  swiftLanguageModes: [.v6]
)

/// A part of the demo programs, which sees what everybody sees.
func demo(_ name: String, at folder: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(
    name: name,
    dependencies: dependencies,
    path: "Examples/\(folder)",
    packageAccess: false
  )
}

/// A demo program.
func program(_ name: String, at folder: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name,
    dependencies: dependencies,
    path: "Examples/\(folder)",
    packageAccess: false
  )
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
