// swift-tools-version: 6.3

import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

#if os(Linux)
  let sqlite = Target.systemLibrary(
    name: "CUpliftSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])])
#else
  // Apple's SDKs have SQLite for each platform. One from another place would be for macOS only.
  let sqlite = Target.systemLibrary(name: "CUpliftSQLite")
#endif

let package = Package(
  name: "uplift",
  // Not watchOS: some watches have integers of 32 bits.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
  products: [
    .library(name: "Uplift", targets: ["Uplift"]),
    .library(name: "UpliftRelease", targets: ["UpliftRelease"]),
    .library(name: "UpliftCommand", targets: ["UpliftCommand"]),
    .executable(name: "uplift", targets: ["UpliftMain"]),
  ],
  targets: [
    // UpliftMain → UpliftCommand → UpliftRelease → Uplift → UpliftSQLite, UpliftSystem → C, and
    // never back.
    sqlite,
    .systemLibrary(name: "CUpliftSystem"),
    .target(name: "UpliftSQLite", dependencies: ["CUpliftSQLite"], swiftSettings: strict),
    .target(name: "UpliftSystem", dependencies: ["CUpliftSystem"], swiftSettings: strict),
    .target(
      name: "Uplift",
      dependencies: ["UpliftSQLite", "UpliftSystem"],
      swiftSettings: strict
    ),
    .target(
      name: "UpliftRelease",
      dependencies: ["Uplift", "UpliftSQLite", "UpliftSystem"],
      swiftSettings: strict
    ),
    .target(
      name: "UpliftCommand",
      dependencies: ["Uplift", "UpliftRelease", "UpliftSystem"],
      swiftSettings: strict
    ),
    .executableTarget(name: "UpliftMain", dependencies: ["UpliftCommand"], swiftSettings: strict),

    // Prints the man page and the completions. It is in no product.
    .executableTarget(
      name: "Manual",
      dependencies: ["UpliftCommand", "UpliftSystem"],
      swiftSettings: strict
    ),

    // A service that calls Uplift once at boot.
    .executableTarget(
      name: "Guestbook",
      dependencies: ["Uplift", "UpliftCommand", "CUpliftSQLite"],
      swiftSettings: strict
    ),

    // Tests: none of this is in a product.
    .target(
      name: "TestSupport", dependencies: ["Uplift"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .testTarget(
      name: "UpliftReleaseTests",
      dependencies: ["Uplift", "UpliftRelease", "UpliftSQLite", "TestSupport"],
      exclude: ["Checking/Faults"],
      swiftSettings: strict
    ),
  ],
  swiftLanguageModes: [.v6]
)

#if os(Linux)
  // These make system calls fail, look into /proc, or listen as systemd does.
  package.targets += [
    .target(name: "Intercept", path: "Tests/Intercept"),
    .executableTarget(
      name: "BootHelper",
      dependencies: ["Uplift", "UpliftRelease", "Intercept"],
      path: "Tests/BootHelper",
      swiftSettings: strict
    ),
    .target(name: "Child", dependencies: ["CUpliftSQLite"], path: "Tests/Child"),
    .executableTarget(
      name: "CrashHelper",
      dependencies: ["Uplift", "UpliftRelease", "Intercept", "Child"],
      path: "Tests/CrashHelper",
      swiftSettings: strict
    ),
    .testTarget(
      name: "CrashTests",
      dependencies: ["TestSupport", "CUpliftSQLite", "CrashHelper", "Uplift"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "UpliftTests",
      dependencies: [
        "Uplift", "UpliftSQLite", "UpliftSystem", "CUpliftSQLite", "TestSupport", "BootHelper",
      ],
      exclude: ["Errors/errors.txt", "Scripts/Fixtures"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "UpliftCommandTests",
      dependencies: [
        "UpliftCommand", "UpliftMain", "UpliftSystem", "Guestbook", "Manual", "TestSupport",
      ],
      exclude: ["Shells"],
      swiftSettings: strict
    ),
  ]
#endif
