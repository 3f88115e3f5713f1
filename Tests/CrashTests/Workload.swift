import Testing

/// A small seed with scripts that make all the kinds of calls between which a crash may come.
struct Workload: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// SQL that makes the seed; nil for no seed.
  var seed: String?
  var scripts: [String: String]
  let target: Int
  /// SQL for a last step in Swift.
  var code: String?
  /// The rules of Intercept for every boot: the calls that the file system lacks.
  var rules = ""
  /// Milliseconds that scripts may share a commit for.
  var interval = 10_000
  /// True if an empty file exists before the first boot.
  var hasEmptyFile = false
  /// SQL that makes a database of an earlier release, which exists before the first boot; nil if
  /// none does.
  var database: String?

  /// Scripts that share a commit, one outside transactions, one that overflows its cache.
  static let rollback = Workload(
    testDescription: "rollback journal", seed: seed, scripts: scripts, target: 8,
    code: code)

  /// The same in a database that is in WAL mode from the start.
  static let log = Workload(
    testDescription: "WAL seed", seed: seed + "PRAGMA journal_mode=WAL;", scripts: scripts,
    target: 8, code: code)

  /// Scripts that turn WAL mode on and off again.
  static let switching = Workload(
    testDescription: "to WAL and back", seed: seed,
    scripts: [
      "2_table.sql": table,
      "3_log.sql": "-- uplift: no-transaction\nPRAGMA journal_mode=WAL;",
      "4_large.sql": large,
      "5_journal.sql": "-- uplift: no-transaction\nPRAGMA journal_mode=DELETE;",
      "6_rebuild.sql": rebuild,
    ], target: 7, code: code)

  /// No seed: an empty file is published, and each script has a commit of its own.
  static let unseeded = Workload(
    testDescription: "no seed", seed: nil,
    scripts: [
      "1_begin.sql": "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, note);",
      "2_rows.sql": "INSERT INTO item(name) VALUES('one'), ('two'), ('three');",
      "3_rebuild.sql": rebuild,
    ], target: 3, interval: 0)

  /// Neither `renameat2` nor `copy_file_range`: `link`, `unlink` and plain writing.
  static let plainCalls = Workload(
    testDescription: "link and write", seed: seed,
    scripts: ["2_table.sql": table, "3_rebuild.sql": rebuild], target: 3,
    rules: "fail 38 call renameat2 on;fail 38 call copy_file_range on")

  /// An empty file exists, and is filled in place.
  static let filling = Workload(
    testDescription: "empty file", seed: seed,
    scripts: ["2_table.sql": table, "3_rebuild.sql": rebuild], target: 3, hasEmptyFile: true)

  /// A database of an earlier release exists, and a script brings it the rows of the new seed.
  static let release = Workload(
    testDescription: "next release", seed: nextSeed,
    scripts: [
      "2_table.sql": table, "3_items.sql": refresh,
      "4_delete.sql": "DELETE FROM visit WHERE item > 40;",
    ], target: 4, database: seed + "PRAGMA cache_size = 5;")

  static let all = [rollback, log, switching, unseeded, plainCalls, filling, release]

  /// Two workloads, others each day; all of them in the deep run.
  static let chosen =
    Figures.isDeep ? all : [0, 3].map { all[(Figures.today + $0) % 7] }
}

extension Workload {
  private static let seed = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, note);
    CREATE INDEX item_name ON item(name);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
    INSERT INTO item SELECT i, 'item ' || i, hex(zeroblob(i)) FROM n;
    PRAGMA user_version = 1;

    """

  /// The seed of the next release: items are gone, changed and new.
  private static let nextSeed =
    seed + table + """
      DELETE FROM item WHERE id % 3 = 1;
      UPDATE item SET note = hex(zeroblob(200)) WHERE id % 3 = 2;
      INSERT INTO item(id, name) VALUES(100, 'new'), (101, 'newer');
      PRAGMA user_version = 3;
      """

  private static let refresh = """
    -- uplift: reads-seed
    PRAGMA cache_size = 5;
    INSERT INTO item(id, name, note) SELECT id, name, note FROM seed.item WHERE true
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, note = excluded.note
      WHERE (name, note) IS NOT (excluded.name, excluded.note);
    DELETE FROM item WHERE id NOT IN (SELECT id FROM seed.item);
    """

  private static let code =
    "INSERT INTO item(name, note) SELECT 'swift ' || id, note FROM item WHERE id < 6"

  private static let table = """
    CREATE TABLE visit(id INTEGER PRIMARY KEY, item REFERENCES item(id));
    INSERT INTO visit(item) SELECT id FROM item WHERE id % 3 = 0;
    """

  private static let large = """
    PRAGMA cache_size = 5;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
    INSERT INTO item(name, note) SELECT 'large ' || i, hex(zeroblob(400)) FROM n;
    UPDATE item SET note = 'was large' WHERE id % 7 = 0;
    """

  private static let rebuild = """
    CREATE TABLE new_item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT, mark INTEGER);
    INSERT INTO new_item SELECT id, name, note, id % 2 FROM item;
    DROP TABLE item;
    ALTER TABLE new_item RENAME TO item;
    CREATE INDEX item_mark ON item(mark);
    """

  private static let scripts = [
    "2_table.sql": table,
    "3_change.sql": "UPDATE item SET note = 'changed' WHERE id % 5 = 0;",
    "4_vacuum.sql": "-- uplift: no-transaction\nVACUUM;",
    "5_large.sql": large,
    "6_rebuild.sql": rebuild,
    "7_delete.sql": "DELETE FROM visit WHERE item > 40; DELETE FROM item WHERE id > 40;",
  ]
}
