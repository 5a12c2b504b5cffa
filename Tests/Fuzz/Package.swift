// swift-tools-version: 6.2
// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PackageDescription

// A package of its own, because libFuzzer needs unsafe flags, and those must reach the parser's sources:
// only instrumented code tells the fuzzer what is new. So the sources are linked in here and not a
// dependency. `make fuzz` (.ci/fuzz) says where the toolchain's runtime lies.
let runtime = Context.environment["PERENNIAL_FUZZER_RUNTIME"].map { [$0, "-lstdc++"] } ?? []

let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v15)],
  targets: [
    .target(name: "Console"),
    .target(name: "PerennialModel"),
    .target(name: "PerennialPredicate", dependencies: ["PerennialModel"]),
    .executableTarget(
      name: "parser-fuzz",
      dependencies: ["Console", "PerennialModel", "PerennialPredicate"],
      linkerSettings: [.unsafeFlags(runtime)]
    ),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
  ]
  // The command line is nothing to find new ways in.
  if target.name != "Console" { target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer"])) }
}
