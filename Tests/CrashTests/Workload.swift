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

  /// A database of an earlier release exists, with rows that a user has changed, and a script brings it
  /// the rows of the new seed.
  static let release = Workload(
    testDescription: "next release", seed: nextSeed,
    scripts: [
      "2_table.sql": table, "3_items.sql": refresh,
      "4_delete.sql": "DELETE FROM visit WHERE item > 40;",
    ], target: 4, database: seed + edits)

  /// A script that repeats, in a database that a user has, between two others.
  static let passes = Workload(
    testDescription: "passes", seed: seed,
    scripts: [
      "2_table.sql": table,
      "3_passes.sql": """
      -- uplift: repeat
      UPDATE item SET note = hex(zeroblob(300)) WHERE id IN
        (SELECT id FROM item WHERE length(note) < 300 LIMIT 25);
      """, "4_delete.sql": "DELETE FROM visit WHERE item > 40;",
    ], target: 4, database: seed + "PRAGMA journal_mode = WAL;")

  static let all = [rollback, log, switching, unseeded, plainCalls, filling, release, passes]

  /// Two workloads, others each day; all of them in the deep run.
  static let chosen =
    Figures.isDeep ? all : [0, 4].map { all[(Figures.today + $0) % all.count] }
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

  /// What `uplift new --refresh item` writes, with shorter differences.
  private static let refresh = """
    -- uplift: reads-seed
    PRAGMA cache_size = 5;
    CREATE TEMP TABLE former_item (id, name, note);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
    INSERT INTO former_item SELECT i, 'item ' || i, hex(zeroblob(i)) FROM n WHERE i % 3 > 0;
    CREATE TEMP TABLE lacked_item (id, since, below);
    INSERT INTO lacked_item SELECT id, 0, 1 FROM seed.item WHERE upgraded_from() < 1;
    INSERT INTO lacked_item VALUES (100, 1, 3), (101, 1, 3);

    CREATE TEMP TABLE gone_item AS
    SELECT mine.id FROM former_item AS old JOIN item AS mine ON mine.id = old.id
    WHERE (old.id, old.name, old.note, typeof(old.note)) IS (mine.id, mine.name, mine.note, typeof(mine.note))
      AND NOT EXISTS (SELECT 1 FROM seed.item AS new WHERE new.id = mine.id);

    DELETE FROM item AS mine WHERE id IN (SELECT id FROM gone_item)
      AND NOT EXISTS (SELECT 1 FROM visit AS child WHERE mine.id = child.item);

    UPDATE item AS mine SET name = new.name, note = new.note
    FROM former_item AS old, seed.item AS new WHERE mine.id = old.id AND mine.id = new.id
      AND (old.id, old.name, old.note, typeof(old.note)) IS (mine.id, mine.name, mine.note, typeof(mine.note));

    INSERT INTO item (id, name, note) SELECT new.id, new.name, new.note
    FROM lacked_item AS gap JOIN seed.item AS new ON new.id = gap.id
    WHERE gap.since <= upgraded_from() AND upgraded_from() < gap.below
      AND NOT EXISTS (SELECT 1 FROM item AS mine WHERE mine.id = new.id)
    ON CONFLICT DO NOTHING;
    """

  /// Rows of a user: edited ones, one that was deleted, and one under a key of the next release.
  private static let edits = """
    UPDATE item SET note = 'mine' WHERE id IN (7, 8);
    DELETE FROM item WHERE id = 11;
    INSERT INTO item VALUES (100, 'my own', NULL);

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
