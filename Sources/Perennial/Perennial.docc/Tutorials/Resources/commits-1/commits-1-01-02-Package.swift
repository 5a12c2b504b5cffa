// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Project38",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../Perennial")],
  targets: [
    .executableTarget(
      name: "Project38",
      dependencies: [.product(name: "Perennial", package: "perennial")]
    )
  ]
)
