import CUpliftSQLite
import Uplift

/// The code that the page "Coming from …" shows, word for word.
///
/// A test compares both and runs it.
enum ComingFrom {
  static func upgradeInsteadOfFMDBMigrationManager(
    data: String, resources: String
  ) throws -> Status {
    // FMDBMigrationManager
    let upgrader = Upgrader(
      database: data + "/app.db",
      seed: .file(resources + "/app.db"),
      migrations: .directory(resources + "/Migrations")
        + [
          .code(2017_07_01_02, "Give every guest a slug") { database in
            try database.query("SELECT id, name FROM guests") { row in
              let (id, name): (Int, String) = try (row["id"], row["name"])
              let slug = name.lowercased().split(separator: " ").joined(separator: "-")
              try database.execute("UPDATE guests SET slug = ? WHERE id = ?", [slug, id])
            }
          }
        ]
    )
    let before = try upgrader.status()
    print(before.seed ?? 0, before.version ?? 0, before.applied.count, before.pending.count)
    _ = try upgrader.upgrade { event in
      if case .started(let script) = event { print(script.name, script.index, script.count) }
    }
    // end
    return before
  }

  static func upgradeInsteadOfTheOlderManager(data: String) throws {
    // fmdb-migration-manager
    let steps: Upgrader.Migrations = [
      .code(1, "create students") { database in
        try database.createTable(
          "students",
          [
            .column("id", .integer, primaryKey: true),
            .column("first_name", .text),
            .column("age", .integer, default: 21),
          ])
      },
      .code(2, "number students") { database in
        try database.addColumn(.column("number", .text), to: "students")
        try database.execute("UPDATE students SET number = 'S' || id")
      },
      .code(3, "drop staff") { database in
        try database.execute("DROP TABLE IF EXISTS staff")
      },
    ]
    _ = try Upgrader(database: data + "/app.db", migrations: steps).upgrade()
    // end
  }

  static func upgradeInsteadOfMFMigrationManager(
    data: String, currentVersion: Version, forget: @escaping @Sendable () -> Void
  ) throws {
    // MFMigrationManager
    let books = Upgrader(
      database: data + "/books.db",
      migrations: [
        .sql("1.1", "books", "CREATE TABLE books (title TEXT NOT NULL)"),
        .sql("1.1-1", "authors", "ALTER TABLE books ADD COLUMN author TEXT"),
        .code("1.2.5", "forget the cache") { _ in forget() },
      ],
      target: currentVersion
    )
    let notes = Upgrader(
      database: data + "/notes.db",
      migrations: [.sql("1.2", "notes", "CREATE TABLE notes (text TEXT)")]
    )
    _ = try books.upgrade()
    _ = try notes.upgrade()
    // end
  }

  static func upgradeInsteadOfOneWrittenByHand(data: String, resources: String) throws {
    // kDBVersion
    let databaseVersion: Version = 2018_01_01_01

    var options = Upgrader.Options()
    options.skipsDuplicates = true
    _ = try Upgrader(
      database: data + "/app.db",
      seed: .file(resources + "/app.db"),
      migrations: .directory(resources + "/Migrations"),
      target: databaseVersion,
      options: options
    ).upgrade()
    // end
  }

  static func upgradeInsteadOfSwiftKuery(data: String) throws {
    // Swift-Kuery
    let steps: Upgrader.Migrations = [
      .code(2, "people") { database in
        try database.renameTable("Person", to: "People")
        try database.addColumn(.column("age", .integer, notNull: true, default: 0), to: "People")
        try database.execute("UPDATE People SET age = 2018 - born")
        try database.dropColumn("born", from: "People")
      }
    ]
    _ = try Upgrader(database: data + "/app.db", migrations: steps).upgrade()
    // end
  }

  static func upgradeInsteadOfGRDB(data: String) throws {
    // GRDB and SQLite.swift
    let steps: Upgrader.Migrations = [
      .code(2, "authors") { database in
        try database.rebuildTable(
          "author",
          [
            .column("id", .integer, primaryKey: true),
            .column("name", .text, notNull: true, unique: true, constraint: "COLLATE NOCASE"),
            .column("birthYear", .integer),
          ],
          filling: ["name": "trim(name)"])
        try database.withHandle { handle in
          // SQLite's own functions, and libraries that work on an open connection.
          let code = sqlite3_exec(handle, "UPDATE author SET birthYear = NULL", nil, nil, nil)
          guard code == SQLITE_OK else { throw NotForgotten() }
        }
      }
    ]
    _ = try Upgrader(database: data + "/app.db", migrations: steps).upgrade()
    // end
  }

  struct NotForgotten: Error {}
}
