// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Movies",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../Perennial")],
  targets: [
    .executableTarget(
      name: "Movies",
      dependencies: [.product(name: "Perennial", package: "perennial")]
    )
  ]
)
