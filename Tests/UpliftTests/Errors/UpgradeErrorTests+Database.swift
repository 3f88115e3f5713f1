import Uplift
import UpliftSQLite
import UpliftSystem

extension UpgradeErrorTests {
  /// Errors of the machine and of the path.
  static let machine: [Row] = [
    Row(
      .disk(path: "a.db", words: "database or disk is full", failure: nil),
      "\"a.db\": database or disk is full",
      "look at the disk and its free space, then start again"
    ),
    Row(
      .disk(
        path: "a.db", words: "database or disk is full",
        failure: failure(.sqlite(code: 13, name: "SQLITE_FULL", words: "database or disk is full"))),
      "2.sql:3:4: database or disk is full (SQLITE_FULL, 13); the database is at 1",
      "look at the disk and its free space, then start again"
    ),
    Row(
      .disk(
        path: "a.db", words: "disk I/O error",
        failure: failure(
          .sqlite(
            code: 6410, name: "SQLITE_IOERR_GETTEMPPATH",
            words: "no directory for temporary files can be written"))),
      "2.sql:3:4: no directory for temporary files can be written "
        + "(SQLITE_IOERR_GETTEMPPATH, 6410); the database is at 1",
      "set SQLITE_TMPDIR to a directory with free space that the service may write"
    ),
    Row(
      .disk(
        path: "/proc", words: "no temporary file can be made in \"/proc\"",
        failure: failure(
          .sqlite(
            code: 14, name: "SQLITE_CANTOPEN",
            words: "no temporary file can be made in \"/proc\": No such file or directory"))),
      "2.sql:3:4: no temporary file can be made in \"/proc\": No such file or directory "
        + "(SQLITE_CANTOPEN, 14); the database is at 1",
      "set SQLITE_TMPDIR to a directory with free space that the service may write"
    ),
    Row(
      .busy(path: "a.db", reached: 2),
      "\"a.db\" stayed busy; it is at 2",
      "find the program that holds the database, then start again or wait for longer"
    ),
    Row(
      .busy(path: "a.db", reached: nil),
      "\"a.db\" stayed busy",
      "find the program that holds the database, then start again or wait for longer"
    ),
    Row(
      .denied(path: "a.db", words: "Permission denied"),
      "\"a.db\": Permission denied",
      "give the service the right to write it, and to write the directory that it lies in"
    ),
    Row(
      .readOnly(path: "a.db"),
      "\"a.db\" has to be written and is read-only",
      "give the service the right to write it, and to write the directory that it lies in"
    ),
    Row(
      .unreadable(path: "a.db", words: "Permission denied"),
      "\"a.db\": Permission denied",
      "give the service the right to read it, and to search the directories above it"
    ),
    Row(
      .tooManyFiles(path: "a.db", words: "Too many open files"),
      "\"a.db\": Too many open files",
      "raise the limit of open files (ulimit -n, LimitNOFILE=), then start again"
    ),
    Row(
      .path("a", .linkLoop),
      "\"a\" is a link that leads back to itself",
      "make the link lead to a file"
    ),
    Row(
      .path("a", .nameTooLong),
      "\"a\" has a name that is longer than the file system takes",
      "use a shorter name"
    ),
    Row(
      .path("a.db", .directoryForJournal),
      "\"a.db\" has a directory where SQLite puts its journal or its log",
      "move away the directory whose name ends in -journal, -wal or -shm"
    ),
    Row(
      .path("a.db", .noWorkingDirectory),
      "\"a.db\" begins in the working directory, which is not there any more",
      "start in a directory that is there, or write a path from the root"
    ),
    Row(
      .path(":memory:", .address),
      "\":memory:\" is an address, not a path",
      "name a file; if it really has this name, write ./:memory:"
    ),
    Row(
      .path("a.db", .isSeed),
      "\"a.db\" is the seed itself",
      "name another data directory: the seed is copied and never changed"
    ),
    Row(
      .path("Resources", .holdsSeed),
      "\"Resources\" holds the seed, so no other database may lie there",
      "name a directory that is used for nothing else"
    ),
    Row(
      .path("Migrations", .holdsScripts),
      "\"Migrations\" holds the scripts, so no database may lie there",
      "name a directory that is used for nothing else"
    ),
    Row(
      .path("a", .notADirectory),
      "\"a\" is not a directory",
      "name a directory that is used for nothing else"
    ),
    Row(
      .path("tmp", .notUTF8),
      "\"tmp\" is a directory whose path is not UTF-8",
      "name a directory whose path is UTF-8; for temporary files, set TMPDIR"
    ),
    Row(
      .path("data", .holdsDatabase),
      "\"data\" holds the database, so it cannot hold its backups",
      "name a directory that is used for nothing else"
    ),
    Row(
      .path("", .empty),
      "\"\" is an empty path",
      "name a file"
    ),
    Row(
      .path("a", .tooLong(bytes: 505)),
      "\"a\" is 505 bytes long, SQLite takes 504",
      "use a shorter path"
    ),
    Row(
      .path("a", .zeroByte),
      "\"a\" has a zero byte",
      "name a file"
    ),
    Row(
      .path("a", .danglingLink(target: "b")),
      "\"a\" links to \"b\", which is not there",
      "mount or restore the file that it links to, or remove the link"
    ),
    Row(
      .path("a", .isDirectory),
      "\"a\" is a directory, not a database",
      "name a file"
    ),
    Row(
      .path("a", .notAFile),
      "\"a\" is not a file",
      "name a file"
    ),
    Row(
      .path("a/b", .parentNotADirectory("a")),
      "\"a/b\" lies in \"a\", which is not a directory",
      "correct the path: each part before the last is a directory"
    ),
    Row(
      .sqlite(path: "a.db", code: 7, words: "out of memory"),
      "\"a.db\": out of memory (7)",
      "look the code up at sqlite.org/rescode.html"
    ),
    Row(
      .cancelled(reached: 2),
      "cancelled; the database is at 2",
      "start again to continue"
    ),
    Row(
      .cancelled(reached: nil),
      "cancelled before the version of the database was known",
      "start again to continue"
    ),
  ]

  /// Databases that Uplift must not touch.
  static let refusals: [Row] = [
    Row(
      .newer(database: 4, target: 3),
      "the database is at 4, newer than the target 3",
      "start the newer program, or restore a copy of the database from before its upgrade"
    ),
    Row(
      .invalid(version: -1),
      "the database is at -1, which is not a version",
      "find out who set user_version, and set it to the right number"
    ),
    Row(
      .damaged(path: "a.db", .truncated(bytes: 100, expected: 512)),
      "\"a.db\" has 100 bytes, not 512",
      "move it away with the files beside it (-wal, -shm, -journal); then put a copy in its place, "
        + "or run uplift restore if there is a backup"
    ),
    Row(
      .damaged(path: "a.db", .notADatabase(kind: nil)),
      "\"a.db\" is not a database",
      "move it away with the files beside it (-wal, -shm, -journal); then put a copy in its place, "
        + "or run uplift restore if there is a backup"
    ),
    Row(
      .damaged(path: "a.db", .malformed(words: "database disk image is malformed")),
      "\"a.db\" is damaged: database disk image is malformed",
      "move it away with the files beside it (-wal, -shm, -journal); then put a copy in its place, "
        + "or run uplift restore if there is a backup"
    ),
    Row(
      .damaged(path: "a.db", .malformed(words: "malformed database schema (t)")),
      "\"a.db\" is damaged: malformed database schema (t)",
      "if a newer SQLite than \(Engine.version) has made it, use that one; otherwise "
        + "move it away with the files beside it (-wal, -shm, -journal); then put a copy in its place, "
        + "or run uplift restore if there is a backup"
    ),
    Row(
      .unversioned(path: "a.db", seed: 2),
      "\"a.db\" has tables but no version, the seed is at 2",
      "uplift adopt finds out the version, which .dump and .clone do not copy"
    ),
    Row(
      .foreign(path: "a.db", applicationID: 78, expected: 77),
      "\"a.db\" belongs to application 78, not 77",
      "correct the path, or the seed's application_id"
    ),
    Row(
      .foreign(path: "b/a-3.db", applicationID: 0, expected: 77),
      "\"b/a-3.db\" belongs to application 0, not 77",
      "if it is the right database, set PRAGMA application_id = 77 in it"
    ),
    Row(
      .backup(Path("b/a-3.db"), .journalBeside("b/a-3.db-wal")),
      "\"b/a-3.db\" has \"b/a-3.db-wal\" beside it, so it is not the whole database",
      "close the program that has the backup open, or move both files away"
    ),
    Row(
      .backup(Path("b"), .notThere),
      "\"b\" has no backup to put back",
      "name another version, or the directory to which upgrades copy the database"
    ),
    Row(
      .backup(Path("b/a-3.db"), .aboveTarget(2)),
      "\"b/a-3.db\" is above the target 2",
      "choose a lower version with to: or --to, or start the newer program"
    ),
    Row(
      .backup(Path("b/a-3.db"), .damaged(words: "row 2 missing from index i")),
      "\"b/a-3.db\" is damaged: row 2 missing from index i",
      "choose another backup with --to or --from; the database is as it was"
    ),
    Row(
      .backup(Path("b/a-3.db"), .isDatabase),
      "\"b/a-3.db\" is the database itself",
      "name a backup of it"
    ),
    Row(
      .backup(Path("b/a-3.db"), .ofOtherPath),
      "\"b/a-3.db\" is a backup of a database with another path, and there is none of this one",
      "if it is one of this database, which was moved, name it with from: or --from"
    ),
    Row(
      .backup(Path("a.db"), .inUse),
      "\"a.db\" is in use, and a restore needs it to itself",
      "stop the service, then run this again"
    ),
    Row(
      .orphaned(journal: "a.db-wal"),
      "\"a.db-wal\" is there without its database",
      "restore the database beside it; or, if nobody needs the journal's changes any more: "
        + "mv \"a.db-wal\" \"a.db-wal.orphaned\""
    ),
    Row(
      .moved(path: "a.db", reached: 2),
      "\"a.db\" was replaced while it was open at 2",
      "stop the process that replaced the file, then start again"
    ),
  ]
}
