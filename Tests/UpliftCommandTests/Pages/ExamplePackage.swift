import Foundation
import TestSupport
import Testing

/// The package `Examples/swift`, built by `Scripts/examples`.
///
/// The first build compiles Uplift once more, in `.build/examples`, which takes about a minute. The
/// script does nothing if nothing has changed. A test that needs the package waits for the one
/// build.
struct ExamplePackage: Sendable {
  /// The directory of its programs.
  let products: String

  private static let built = Result { try ExamplePackage() }

  static var swift: ExamplePackage {
    get throws { try built.get() }
  }

  struct NotBuilt: Error {
    let outcome: Outcome
  }

  private init() throws {
    let script = Page.package.appendingPathComponent("Scripts/examples").path
    let outcome = try Command(script).run()
    guard outcome.status == 0, let path = outcome.output.split(separator: "\n").last else {
      throw NotBuilt(outcome: outcome)
    }
    products = String(path)
  }

  /// Compiles a program that uses the library, and links it with the library of the package.
  ///
  /// This is what SwiftPM does, without another build of the library.
  func compile(_ program: String, in scratch: Scratch) throws -> String {
    let source = try scratch.write(program, to: "program/main.swift")
    let objects = ["Uplift", "UpliftSQLite", "UpliftSystem"].flatMap { target in
      let directory = "\(products)/\(target).build"
      let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
      return files.filter { $0.hasSuffix(".o") }.map { "\(directory)/\($0)" }
    }
    let sources = Page.package.appendingPathComponent("Sources")
    let outcome = try Command("/usr/bin/env").run(
      arguments: [
        "swiftc", "-swift-version", "6", source, "-I", "\(products)/Modules",
        "-I", sources.appendingPathComponent("CUpliftSQLite").path,
        "-I", sources.appendingPathComponent("CUpliftSystem").path,
        "-o", scratch("program/main"), "-lsqlite3",
      ] + objects)
    guard outcome.status == 0 else { throw NotBuilt(outcome: outcome) }
    return scratch("program/main")
  }
}
