import TestSupport
import Testing
import Uplift

/// A script that makes an orphan fails and leaves the database as it was.
struct HarmfulScriptTests {
  static let harmful: [(script: String, orphans: [UpgradeError.Orphan])] = [
    (
      "INSERT INTO child VALUES(4, 70, '');",
      [.init(table: "child", row: 4, columns: ["parent"], parent: "parent")]
    ),
    (
      "INSERT INTO child VALUES(4, 'x', '');",
      [.init(table: "child", row: 4, columns: ["parent"], parent: "parent")]
    ),
    (
      "UPDATE child SET parent = 70 WHERE id = 2;",
      [.init(table: "child", row: 2, columns: ["parent"], parent: "parent")]
    ),
    (
      "DELETE FROM parent WHERE id = 2;",
      [
        .init(table: "child", row: 2, columns: ["parent"], parent: "parent"),
        .init(table: "coded", row: 2, columns: ["code"], parent: "parent"),
      ]
    ),
    (
      "UPDATE parent SET code = 'zwei' WHERE id = 2;",
      [.init(table: "coded", row: 2, columns: ["code"], parent: "parent")]
    ),
    (
      "UPDATE parent SET id = 3 WHERE id = 2;",
      [.init(table: "child", row: 2, columns: ["parent"], parent: "parent")]
    ),
    (
      "UPDATE parent SET rowid = 3 WHERE id = 2;",
      [.init(table: "child", row: 2, columns: ["parent"], parent: "parent")]
    ),
    (
      "REPLACE INTO parent VALUES(3, 'two', '');",
      [.init(table: "child", row: 2, columns: ["parent"], parent: "parent")]
    ),
    (
      "UPDATE OR REPLACE parent SET name = 'z', code = 'one' WHERE id = 2;",
      [
        .init(table: "child", row: 1, columns: ["parent"], parent: "parent"),
        .init(table: "coded", row: 2, columns: ["code"], parent: "parent"),
        .init(table: "keyed", row: nil, columns: ["parent"], parent: "parent"),
        .init(table: "made", row: 1, columns: ["b"], parent: "parent"),
      ]
    ),
    (
      "INSERT INTO keyed VALUES('m', 9);",
      [.init(table: "keyed", row: nil, columns: ["parent"], parent: "parent")]
    ),
    (
      "INSERT INTO tree VALUES(9, 10);",
      [.init(table: "tree", row: 9, columns: ["up"], parent: "tree")]
    ),
    (
      "DELETE FROM tree WHERE id = 1;",
      [.init(table: "tree", row: 2, columns: ["up"], parent: "tree")]
    ),
    (
      "UPDATE pairs SET b = 3;",
      [.init(table: "paired", row: 1, columns: ["x", "y"], parent: "pairs")]
    ),
    (
      "INSERT INTO paired VALUES(2, 1);",
      [.init(table: "paired", row: 4, columns: ["x", "y"], parent: "pairs")]
    ),
    (
      "UPDATE made SET a = 5 WHERE a = 0;",
      [.init(table: "made", row: 1, columns: ["b"], parent: "parent")]
    ),
    (
      "DROP TABLE pairs; DELETE FROM paired WHERE x = 7;",
      [.init(table: "paired", row: 1, columns: ["x", "y"], parent: "pairs")]
    ),
    (
      "DELETE FROM paired WHERE x = 7; ALTER TABLE paired ADD COLUMN z REFERENCES parent DEFAULT 9;",
      [
        .init(table: "paired", row: 1, columns: ["z"], parent: "parent"),
        .init(table: "paired", row: 2, columns: ["z"], parent: "parent"),
        .init(table: "paired", row: 3, columns: ["z"], parent: "parent"),
      ]
    ),
    (
      "PRAGMA legacy_alter_table=ON; ALTER TABLE pairs RENAME TO others;",
      [.init(table: "paired", row: 1, columns: ["x", "y"], parent: "pairs")]
    ),
    (
      "CREATE TABLE n(a REFERENCES parent); INSERT INTO n VALUES(9);",
      [.init(table: "n", row: 1, columns: ["a"], parent: "parent")]
    ),
    (
      "CREATE TRIGGER g AFTER UPDATE ON tree BEGIN DELETE FROM pairs; END; UPDATE tree SET id = id;",
      [.init(table: "paired", row: 1, columns: ["x", "y"], parent: "pairs")]
    ),
    (
      "CREATE VIEW v AS SELECT 1 AS a; CREATE TRIGGER g INSTEAD OF DELETE ON v BEGIN "
        + "DELETE FROM pairs; END; DELETE FROM v;",
      [.init(table: "paired", row: 1, columns: ["x", "y"], parent: "pairs")]
    ),
    (
      "CREATE TEMP TABLE pairs(a, b, name, PRIMARY KEY(b, a)); INSERT INTO pairs VALUES(1, 2, 3);"
        + "DELETE FROM main.pairs;",
      [.init(table: "paired", row: 1, columns: ["x", "y"], parent: "pairs")]
    ),
    (
      "CREATE TABLE n(a REFERENCES pairs(name)); INSERT INTO n VALUES('p'), ('q');",
      [.init(table: "n", row: 2, columns: ["a"], parent: "pairs")]
    ),
  ]

  /// The guard compares each change with the last 64 only.
  @Test(.tags(.promise10)) func `sees the first of very many changes`() throws {
    let others = (1...90).map { "CREATE TABLE o\($0)(a, b);" }.joined()
    let trial = try Trial(
      "DELETE FROM parent;" + (1...90).map { "INSERT INTO o\($0) VALUES(1, 2);" }.joined(),
      start: """
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(parent REFERENCES parent);
        INSERT INTO parent VALUES(1); INSERT INTO child VALUES(1);
        """ + others)

    #expect(trial.failure()?.orphans?.rows.map(\.table) == ["child"])
  }

  @Test(.tags(.S6, .promise10), arguments: harmful.indices, ["", Families.oldOrphans])
  func `refuses a script that makes an orphan, and names the row and its parent`(
    index: Int, old: String
  ) throws {
    let (script, orphans) = Self.harmful[index]
    let trial = try Trial("UPDATE paired SET x = x;", script, start: Families.start + old)
    let before = try trial.ask(".dump")

    let failure = trial.failure()

    guard let found = failure?.orphans else {
      Issue.record("\(script): \(failure as Any)")
      return
    }
    #expect(failure?.place?.file == trial.path(2))
    #expect(found.count == found.rows.count)
    #expect(
      Set(found.rows.map(Self.withoutFault)) == Set(orphans), "\(script)")
    #expect(try trial.ask(".dump") == before)
    #expect(try trial.version() == 1)
  }

  private static func withoutFault(_ orphan: UpgradeError.Orphan) -> UpgradeError.Orphan {
    .init(table: orphan.table, row: orphan.row, columns: orphan.columns, parent: orphan.parent)
  }
}
