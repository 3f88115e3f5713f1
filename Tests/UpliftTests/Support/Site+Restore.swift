import TestSupport
import Uplift

extension Site {
  /// A table whose collation this process does not have.
  static let missingCollation = """
    CREATE TABLE word(text TEXT COLLATE NOCASE PRIMARY KEY); INSERT INTO word VALUES('a'), ('b');
    PRAGMA writable_schema = ON;
    UPDATE sqlite_master SET sql = replace(sql, 'NOCASE', 'german') WHERE name = 'word';
    """

  /// A database that was upgraded from 1 to 3, with a backup of version 1, and used since.
  static func upgraded(journal: String = "DELETE") throws -> Site {
    let site = try Site()
    try site.place(
      "PRAGMA journal_mode = \(journal);" + Site.seed + "INSERT INTO item VALUES (7, 'mine');")
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    try Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: 3, options: options
    ).upgrade()
    try Shell.run(site.database, "INSERT INTO item VALUES (99, 'late');")
    return site
  }

  /// Starts a program that writes one row after the other until `letGo` is called.
  func keepWriting() throws -> Running {
    try Command("/bin/sh").start([
      "-c",
      """
      while test -e '\(database)' && ! test -e '\(scratch("let-go"))'; do
        sqlite3 -cmd '.timeout 20000' '\(database)' "INSERT INTO item VALUES (NULL, 'busy');"
      done
      """,
    ])
  }

  func restore(
    target: Version = 3, to version: Version? = nil
  ) throws(UpgradeError) -> Restore {
    var options = Upgrader.Options()
    options.patience = .milliseconds(300)
    return try Upgrader(
      database: database, seed: .file(seed), migrations: .directory(scripts),
      target: target, options: options
    ).restore(from: scratch("backups"), to: version)
  }
}
