// swift-tools-version: 6.2

import PackageDescription

// A package of its own: nobody who depends on Uplift builds its benchmarks.
let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "uplift", path: "..")],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // Measures: makes the fixtures, runs the programs in turn, prints the table.
    .executableTarget(name: "Benchmark", dependencies: ["CSQLite"]),
    // What is measured, apart from the command itself. Scripts/bench compiles Floor and Launch,
    // which are C, without this package.
    .executableTarget(
      name: "InProcess", dependencies: [.product(name: "Uplift", package: "uplift")]),
    .executableTarget(name: "Reader", dependencies: ["CSQLite"]),
  ],
  swiftLanguageModes: [.v6]
)
