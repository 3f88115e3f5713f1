import Uplift

extension UpgradeErrorTests {
  /// Errors in the seed, and missing files.
  static let resources: [Row] = [
    Row(
      .seed(file: "a.db", .empty),
      "the seed \"a.db\" is empty",
      "ship the seed again, as a whole SQLite database"
    ),
    Row(
      .seed(file: "a.db", .notADatabase(kind: "text")),
      "the seed \"a.db\" is text, not a database",
      "ship the seed again, as a whole SQLite database"
    ),
    Row(
      .seed(file: "a.db", .notADatabase(kind: "a pointer of Git LFS")),
      "the seed \"a.db\" is a pointer of Git LFS, not a database",
      "run git lfs pull before the seed is packed"
    ),
    Row(
      .seed(file: "a.db", .notADatabase(kind: nil)),
      "the seed \"a.db\" is not a database",
      "ship the seed again, as a whole SQLite database"
    ),
    Row(
      .seed(file: "a.db", .truncated(bytes: 8191, expected: 8192)),
      "the seed \"a.db\" has 8191 bytes, not 8192",
      "ship the seed again, as a whole SQLite database"
    ),
    Row(
      .seed(file: "a.db", .journalBeside("a.db-wal")),
      "the seed \"a.db\" has changes outside it, in \"a.db-wal\"",
      "close the program that has the seed open, or VACUUM INTO a new seed"
    ),
    Row(
      .seed(file: "a.db", .malformed(words: "a page size of 3")),
      "the seed \"a.db\" is damaged: a page size of 3",
      "ship the seed again, as a whole SQLite database"
    ),
    Row(
      .seed(file: "a.db", .notAFile),
      "the seed \"a.db\" is not a file",
      "ship the seed again, as a whole SQLite database"
    ),
    Row(
      .seed(file: "a.db", .otherEncoding(seed: "UTF-16le", database: "UTF-8")),
      "the seed \"a.db\" is in UTF-16le and the database in UTF-8: a script cannot read both",
      "make the seed again in the encoding of the databases in use"
    ),
    Row(
      .seed(file: "a.db", .changed),
      "the seed \"a.db\" changed while it was read",
      "start again when the deployment is complete"
    ),
    Row(
      .seedNewer(seed: 4, target: 3),
      "the seed is at 4, the target is 3",
      "raise the target, or ship a seed that is not above it"
    ),
    Row(
      .missing(.seed, path: "a.db"),
      "the seed \"a.db\" is not there",
      "ship the seed, or correct its path"
    ),
    Row(
      .missing(.migrations, path: "Migrations"),
      "the directory of scripts \"Migrations\" is not there",
      "ship the scripts, or correct the path"
    ),
    Row(
      .missing(.database, path: "data/a.db"),
      "the database \"data/a.db\" is not there",
      "mount the volume or restore the database, then start again"
    ),
    Row(
      .missing(.backups, path: "b/c"),
      "the directory of backups \"b/c\" cannot be made, "
        + "because the directory above it is not there",
      "make the directory above it, or correct the path"
    ),
    Row(
      .missing(.extension, path: "a.so"),
      "the extension \"a.so\" is not there",
      "install the extension, or write its path with its ending, such as .so"
    ),
    Row(
      .preparation("no licence", reached: 2),
      "prepare failed: no licence; the database is at 2",
      "correct prepare: it adds collations, functions and modules, and writes nothing"
    ),
    Row(
      .preparation("no licence"),
      "prepare failed: no licence",
      "correct prepare: it adds collations, functions and modules, and writes nothing"
    ),
    Row(
      .preparation("file too short", extensionPath: "a.so", reached: 2),
      "the extension \"a.so\" cannot be loaded: file too short; the database is at 2",
      "use an extension that is built for this machine and writes nothing; "
        + "a statically linked uplift may not be able to load any"
    ),
    Row(
      .preparation(UpgradeError.noExtensions, extensionPath: "a.so"),
      "the extension \"a.so\" cannot be loaded: this SQLite was built without extensions",
      "use an uplift whose SQLite can load extensions, or call Uplift as a library with prepare"
    ),
  ]
}
