import Foundation
import TestSupport
import Testing

/// The compiler refuses a step that would keep its database.
struct CannotKeepTests {
  static let steps: [(String, String?)] = [
    ("{ _ in }", nil),
    ("{ database in kept = database }", "is consuming"),
    ("{ database in let copy = database; _ = consume copy }", "cannot be consumed"),
  ]

  @Test(arguments: steps)
  func `a step that keeps it does not compile`(step: String, complaint: String?) throws {
    let scratch = try Scratch()
    let source = try scratch.write(
      """
      import Uplift
      nonisolated(unsafe) var kept: Upgrader.Database? = nil
      let migration: Upgrader.Migration = .code(1, "one") \(step)
      """, to: "main.swift")
    let modules = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("Modules").path
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Sources").standardized.path

    let outcome = try Command("/usr/bin/env").run(
      "swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-I", modules,
      "-Xcc", "-fmodule-map-file=\(sources)/CUpliftSQLite/module.modulemap",
      "-Xcc", "-fmodule-map-file=\(sources)/CUpliftSystem/module.modulemap", source)

    #expect((outcome.status == 0) == (complaint == nil), "\(outcome.errors)")
    if let complaint { #expect(outcome.errors.contains(complaint), "\(outcome.errors)") }
  }
}
