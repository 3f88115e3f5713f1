import TestSupport
import Testing
import Uplift

/// What a script may do with each pragma of SQLite's list.
struct PragmaTests {
  enum Answer { case allowed, refused, onlyAlone, inert }

  @Test(
    .tags(.S3, .S4, .S5, .S7, .S14),
    arguments: [
      ("user_version", .allowed),
      ("user_version = 9", .refused),
      ("user_version(9)", .refused),
      ("user_version = 1", .inert),
      ("main.user_version(01)", .inert),
      ("user_version = -1", .refused),
      ("user_version = '1x'", .refused),
      ("main.User_Version = 9", .refused),
      ("application_id", .allowed),
      ("application_id = 9", .refused),
      ("schema_version", .refused),
      ("schema_version = 9", .refused),
      ("data_version", .allowed),
      ("encoding", .allowed),
      ("encoding = 'UTF-16'", .refused),
      ("page_count", .refused),
      ("freelist_count", .refused),
      ("synchronous", .allowed),
      ("synchronous = OFF", .refused),
      ("locking_mode", .allowed),
      ("locking_mode = EXCLUSIVE", .refused),
      ("journal_mode", .allowed),
      ("journal_mode = OFF", .refused),
      ("journal_mode = MEMORY", .refused),
      ("journal_mode = WAL", .onlyAlone),
      ("journal_mode = DELETE", .allowed),
      ("journal_mode = TRUNCATE", .onlyAlone),
      ("journal_mode = PERSIST", .onlyAlone),
      ("auto_vacuum", .allowed),
      ("auto_vacuum = FULL", .onlyAlone),
      ("page_size", .allowed),
      ("page_size = 8192", .onlyAlone),
      ("wal_checkpoint", .onlyAlone),
      ("wal_checkpoint(TRUNCATE)", .onlyAlone),
      ("incremental_vacuum", .allowed),
      ("incremental_vacuum(3)", .allowed),
      ("optimize", .allowed),
      ("analysis_limit", .allowed),
      ("analysis_limit = 100", .allowed),
      ("automatic_index = OFF", .allowed),
      ("cache_size = -4000", .allowed),
      ("case_sensitive_like = ON", .allowed),
      ("legacy_alter_table = ON", .allowed),
      ("recursive_triggers = ON", .allowed),
      ("foreign_keys", .inert),
      ("foreign_keys = ON", .inert),
      ("foreign_keys = OFF", .inert),
      ("defer_foreign_keys = ON", .inert),
      ("foreign_key_check", .allowed),
      ("foreign_key_check(t)", .allowed),
      ("foreign_key_list(t)", .allowed),
      ("integrity_check", .allowed),
      ("quick_check(t)", .allowed),
      ("table_info(t)", .allowed),
      ("table_xinfo(t)", .allowed),
      ("table_list", .allowed),
      ("index_list(t)", .allowed),
      ("index_info(i)", .allowed),
      ("index_xinfo(i)", .allowed),
      ("database_list", .allowed),
      ("collation_list", .allowed),
      ("function_list", .allowed),
      ("module_list", .allowed),
      ("pragma_list", .allowed),
      ("compile_options", .allowed),
      ("writable_schema = ON", .refused),
      ("writable_schema = RESET", .refused),
      ("writable_schema", .refused),
      ("trusted_schema = OFF", .refused),
      ("ignore_check_constraints = ON", .refused),
      ("temp_store = MEMORY", .refused),
      ("temp_store_directory = '/tmp'", .refused),
      ("mmap_size = 0", .refused),
      ("busy_timeout = 1", .refused),
      ("query_only = ON", .refused),
      ("read_uncommitted = ON", .refused),
      ("reverse_unordered_selects = ON", .refused),
      ("secure_delete = ON", .refused),
      ("journal_size_limit = 0", .refused),
      ("max_page_count = 9", .refused),
      ("wal_autocheckpoint = 0", .refused),
      ("checkpoint_fullfsync = 1", .refused),
      ("fullfsync = 0", .refused),
      ("cell_size_check = 0", .refused),
      ("cache_spill = 0", .refused),
      ("soft_heap_limit = 1", .refused),
      ("hard_heap_limit = 1", .refused),
      ("threads = 1", .refused),
      ("full_column_names = 1", .refused),
      ("nosuch", .refused),
    ] as [(String, Answer)])
  func `allows or refuses a pragma as the list says`(pragma: String, answer: Answer) throws {
    let start = "CREATE TABLE t(a); CREATE INDEX i ON t(a);"
    let shared = try Trial("PRAGMA \(pragma);", start: start)
    let alone = try Trial("-- uplift: no-transaction\nPRAGMA \(pragma);", start: start)

    let (sharedError, aloneError) = (shared.failure(), alone.error())

    let name = pragma.prefix { $0 != " " && $0 != "(" }.split(separator: ".").last?.lowercased()
    let value = name == "journal_mode" ? pragma.split(separator: "= ").last?.lowercased() : nil
    let statement = "PRAGMA \(name ?? "")"
    let refused = statement + (value.map { "=\($0)" } ?? "") + " is not allowed in a script"
    switch answer {
    case .allowed, .inert: #expect(sharedError == nil)
    case .refused: #expect(sharedError?.message == refused)
    case .onlyAlone:
      #expect(sharedError?.message == statement + " does nothing inside a transaction")
    }
    let ofAlone = [
      "journal_mode", "auto_vacuum", "page_size", "wal_checkpoint", "incremental_vacuum",
      "optimize",
    ]
    let isAlone = ofAlone.contains(name ?? "") && (answer != .refused || name != "journal_mode")
    #expect((aloneError == nil) == isAlone)
  }

  @Test(.tags(.S3, .promise4))
  func `refuses a script that sets another version, and keeps the database's`() throws {
    let trial = try Trial("CREATE TABLE t(a);", "CREATE TABLE u(a);\nPRAGMA user_version = 9;")

    let failure = trial.failure()

    #expect(
      failure?.description
        == "\(trial.path(2)):2:1: PRAGMA user_version is not allowed in a script; "
        + "the database is at 1")
    #expect(failure?.text == "PRAGMA user_version = 9;")
    #expect(try trial.version() == 1)
    #expect(try trial.ask("SELECT group_concat(name) FROM sqlite_master") == "t")
  }

  @Test(.tags(.S3, .promise4))
  func `accepts a script that sets its own version, which does nothing`() throws {
    let trial = try Trial(
      "CREATE TABLE t(a); PRAGMA user_version = 1;",
      "PRAGMA user_version = 2; INSERT INTO t SELECT user_version FROM pragma_user_version;",
      "PRAGMA user_version = 3;\nSELECT nosuch;")

    let failure = trial.failure()

    #expect(failure?.reached == 2)
    #expect(try trial.ask("SELECT a FROM t") == "1")
    #expect(try trial.version() == 2)
  }

  @Test(.tags(.S14), arguments: [("wal", "delete"), ("delete", "wal")])
  func `accepts the journal mode that the database has already`(
    mode: String, other: String
  ) throws {
    let start = "PRAGMA journal_mode = \(mode);"
    let same = try Trial(
      "SELECT 1;", "PRAGMA journal_mode = \(mode.uppercased());\nCREATE TABLE t(a);",
      "PRAGMA journal_mode('\(mode)');", start: start)
    let different = try Trial(
      "PRAGMA journal_mode = \(mode);\nPRAGMA journal_mode = \(other);", start: start)

    try same.upgrade()
    let failure = different.failure()

    #expect(try same.ask("PRAGMA journal_mode") == mode)
    #expect(failure?.message == "PRAGMA journal_mode does nothing inside a transaction")
    #expect(failure?.placeInScript == "2:1")
  }

  @Test(.tags(.S3))
  func `refuses a pragma that is written as a table, too`() throws {
    let trial = try Trial("CREATE TABLE t AS SELECT * FROM pragma_writable_schema;")

    let failure = trial.failure()

    #expect(failure?.message == "PRAGMA writable_schema is not allowed in a script")
  }
}
