import Foundation
import TestSupport
import Testing

/// A program that uses Uplift compiles, whatever else it imports.
struct NeighbourTests {
  /// The public names of GRDB and Fluent that Uplift uses as well.
  static let neighbour = """
    public struct Database { public init() {} }
    public struct Column { public init(_ name: String) {} }
    public struct Row { public init() {} }
    public protocol Migration { func prepare(on database: Database) }
    public final class Migrations { public init() {} }
    public struct DatabaseValue {}
    public protocol DatabaseValueConvertible {
      var databaseValue: DatabaseValue { get }
      init?(databaseValue: DatabaseValue)
    }
    extension Int: DatabaseValueConvertible {
      public var databaseValue: DatabaseValue { DatabaseValue() }
      public init?(databaseValue: DatabaseValue) { return nil }
    }
    extension String: DatabaseValueConvertible {
      public var databaseValue: DatabaseValue { DatabaseValue() }
      public init?(databaseValue: DatabaseValue) { return nil }
    }
    """

  static let program = """
    import Neighbour
    import Uplift

    struct Create: Migration {
      func prepare(on database: Database) { _ = (Column("a"), Row(), Migrations()) }
    }
    let values = [7.databaseValue, "text".databaseValue]
    let number = Int(databaseValue: values[0])

    struct Day: Upgrader.Database.Storable {
      let text: String
      init?(upliftValue: Upgrader.Database.Value) {
        guard let text = String(upliftValue: upliftValue) else { return nil }
        self.text = text
      }
      var upliftValue: Upgrader.Database.Value { .text(text) }
    }

    func slugs(_ database: borrowing Upgrader.Database) throws {
      try database.createTable(
        "t", [.column("id", .integer, primaryKey: true), .column("name", .text, default: "")])
      let columns: [Upgrader.Column] = [.column("id", .integer)]
      try database.rebuildTable("t", columns)
      for row in try database.query("SELECT id, day FROM t") {
        let id = try row["id"]
        let day: Day = try row["day"]
        try database.execute("UPDATE t SET day = ? WHERE id = ?", [day, id])
      }
    }

    let steps: Upgrader.Migrations = [.sql(2, "two", "SELECT 2"), .code(3, "slugs", slugs)]
    let upgrader = Upgrader(
      database: "app.db", migrations: .directory("Migrations") + steps, target: 3)
    do {
      try upgrader.upgrade()
      try upgrader.upgrade(isCancelled: { false })
      let upgrade = try upgrader.upgrade(isCancelled: { false }) { event in print(event) }
      print(upgrade.end, try Set([upgrader.status()]).count)
    } catch {
      let code: Int32 = error.exitCode
      print(error.kind, code, error.reached ?? 0, error.remedy)
    }
    """

  @Test func `compiles beside a module with the names of GRDB and Fluent`() throws {
    let scratch = try Scratch()
    let neighbour = try scratch.write(Self.neighbour, to: "Neighbour.swift")
    let program = try scratch.write(Self.program, to: "main.swift")

    let module = try Self.compile([
      "-emit-module", "-module-name", "Neighbour", "-parse-as-library", neighbour,
      "-emit-module-path", scratch("Neighbour.swiftmodule"),
    ])
    let outcome = try Self.compile([
      "-typecheck", "-warnings-as-errors", "-I", scratch.path, program,
    ])

    #expect(module.status == 0, "\(module.errors)")
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  /// Compiles outside of the package, as a program that uses the library does.
  private static func compile(_ arguments: [String]) throws -> Outcome {
    let modules = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("Modules").path
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Sources").standardized.path
    return try Command("/usr/bin/env").run(
      arguments: [
        "swiftc", "-swift-version", "6", "-I", modules,
        "-Xcc", "-fmodule-map-file=\(sources)/CUpliftSQLite/module.modulemap",
        "-Xcc", "-fmodule-map-file=\(sources)/CUpliftSystem/module.modulemap",
      ] + arguments)
  }
}
