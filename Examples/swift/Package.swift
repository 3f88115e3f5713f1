// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "words",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "words", targets: ["Beside"]),
    .executable(name: "words-embedded", targets: ["Embedded"]),
  ],
  dependencies: [.package(name: "uplift", path: "../..")],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // What both programs do: upgrade the database, open it, print it.
    .target(
      name: "Words", dependencies: ["CSQLite", .product(name: "Uplift", package: "uplift")]),
    // The resources are files beside the executable.
    .executableTarget(name: "Beside", dependencies: ["Words"], resources: [.copy("Resources")]),
    // The resources are bytes in the executable. `Resources` is a link to those of Beside.
    .executableTarget(
      name: "Embedded", dependencies: ["Words"], resources: [.embedInCode("Resources")]),
  ],
  swiftLanguageModes: [.v6]
)
