import Foundation
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

  /// The names in a directory of backups without the hash of the path: `app-0001-v1.db`.
  func backups(_ directory: String = "backups") -> [String] {
    scratch.names(directory).map { $0.replacingOccurrences(of: "-\(hash)-", with: "-") }
  }

  /// The path of a backup of this database, such as `0001-v1`.
  func backup(_ name: String) -> String { scratch("backups/app-\(hash)-\(name).db") }

  /// Makes a backup by hand.
  func placeBackup(_ name: String, _ sql: String) throws {
    try scratch.write("", to: "backups/app-\(hash)-\(name).db")
    try Shell.run(backup(name), sql)
  }

  /// The start of the hash of the database's path.
  var hash: String {
    String(SHA256.hexadecimal(Array(database.utf8)).prefix(8))
  }

  func restore(
    target: Version = 3, to version: Version? = nil, from file: String? = nil
  ) throws(UpgradeError) -> Restore {
    var options = Upgrader.Options()
    options.patience = .milliseconds(300)
    let upgrader = Upgrader(
      database: database, seed: .file(seed), migrations: .directory(scripts),
      target: target, options: options)
    if let file { return try upgrader.restore(backup: scratch("backups"), from: file) }
    return try upgrader.restore(backup: scratch("backups"), to: version)
  }
}
