import Foundation
import TestSupport
import Testing
import Uplift

/// An error in the text of a script is found before any statement of any script runs.
struct TextTests {
  static let openComment = "the comment that begins here has no end"
  static let openString = "the string that begins here has no end"
  static let openName = "the quoted name that begins here has no end"
  static let openTrigger = "the trigger that begins here has no END"
  static let loneReturn = "a carriage return without a line feed"
  static let unfinished = "the script says that it is unfinished"

  @Test(
    .tags(.S8, .S9, .S11, .S16),
    arguments: [
      ("SELECT 1; /* cut sh", 10, openComment),
      ("SELECT 1; INSERT INTO t VALUES('cut sh", 31, openString),
      ("SELECT 1 AS \"cut sh;", 12, openName),
      ("SELECT 1 AS [cut sh;", 12, openName),
      ("SELECT 1 AS `cut sh;", 12, openName),
      ("CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1;", 0, openTrigger),
      ("CREATE TEMPORARY TRIGGER g AFTER INSERT ON t BEGIN SELECT 1;", 0, openTrigger),
      // The slash that begins a comment does not end it.
      ("SELECT 1; /*/ cut sh", 10, openComment),
      (";CREATE TEMP TRIGGER g BEGIN SELECT CASE 1 WHEN 1 THEN 2 END;", 1, openTrigger),
      // SQLite does not take a vertical tab for white space, so the trigger has no end.
      ("CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END\u{b};", 0, openTrigger),
      ("SELECT 1;\u{0} SELECT 2;", 9, "a zero byte"),
      ("-- one\rSELECT 1;\r", 6, loneReturn),
      ("SELECT 1;\r", 9, loneReturn),
      ("SELECT 1; -- uplift: unfinished", 10, unfinished),
      (".mode box", 0, "\".mode\" is a command of the sqlite3 shell, not SQL"),
      ("SELECT 1; .quit", 10, "\".quit\" is a command of the sqlite3 shell, not SQL"),
      ("-- uplift: no-transactions\nVACUUM;", 0, "no directive is called \"no-transactions\""),
      ("--Uplift:  foo  bar \r\nSELECT 1;", 0, "no directive is called \"foo bar\""),
      ("-- uplift : unfinished\nSELECT 1;", 0, unfinished),
      ("SELECT 1; -- uplift: no-transaction", 10, "a directive after the first statement"),
      ("SELECT 1;\n-- +goose Down\nSELECT 2;", 10, "\"-- +goose Down\" begins statements"),
      ("SELECT 1;\n-- +migrate  Down\r\nSELECT 2;", 10, "\"-- +migrate Down\" begins statements"),
      ("SELECT 1;\n--migrate:down\nSELECT 2;", 10, "\"--migrate:down\" begins statements"),
    ], ["", "\u{feff}", "-- ä\r\n\t"])
  func `runs nothing if the text of one of five scripts is wrong`(
    wrong: (text: String, offset: Int, words: String), head: String
  ) throws {
    let trial = try Trial(
      "CREATE TABLE t(a);", "SELECT 1;", "SELECT 1;", "SELECT 1;", head + wrong.text)

    let error = try #require(trial.error())

    let before = String(wrong.text.utf8.prefix(wrong.offset))
    var place = head.first == "-" ? (line: 2, column: 2) : (line: 1, column: 1)
    for character in (before ?? "").unicodeScalars {
      place = character == "\n" ? (place.line + 1, 1) : (place.line, place.column + 1)
    }
    let words = "\(trial.path(5)):\(place.line):\(place.column): \(wrong.words)"
    #expect(error.says(.scripts, words), "\(error)")
    #expect(trial.scratch.names() == ["Migrations"])
  }

  /// The text is checked in blocks, and an error may lie at either end of a block.
  @Test(
    .tags(.S8),
    arguments: [
      ("\u{0}", "a zero byte"), ("\r", loneReturn), ("'", openString),
      ("[", openName), ("/*", openComment),
    ])
  func `finds an error at any offset in the text`(wrong: String, words: String) throws {
    for count in 0..<36 {
      let trial = try Trial("SELECT 'ä';" + String(repeating: " ", count: count) + wrong)

      let error = try #require(trial.error())

      #expect(error.says(.scripts, "\(trial.path(1)):1:\(12 + count): \(words)"), "\(error)")
    }
  }

  @Test(
    .tags(.S9),
    arguments: [
      ([0xff, 0xfe, 0x53, 0x00], true),
      ([0xfe, 0xff, 0x00, 0x53], true),
      ([0x53, 0x00, 0x45, 0x00], true),
      ([0x00, 0x53, 0x00, 0x45], true),
      ([0x27, 0xe4, 0x27, 0x3b], false),
      ([0x27, 0xc0, 0x80, 0x27], false),
      ([0x27, 0xed, 0xa0, 0x80, 0x27], false),
      // Too long a form in three bytes and in four, and a number above Unicode.
      ([0x27, 0xe0, 0x80, 0x80, 0x27], false),
      ([0x27, 0xe0, 0x9f, 0xbf, 0x27], false),
      ([0x27, 0xf0, 0x80, 0x80, 0x80, 0x27], false),
      ([0x27, 0xf4, 0x90, 0x80, 0x80, 0x27], false),
      ([0x27, 0xf5, 0x80, 0x80, 0x80, 0x27], false),
      ([0x27, 0xe2, 0x82], false),
      ([0x80], false),
    ] as [([UInt8], Bool)])
  func `refuses bytes that are not UTF-8, and names UTF-16`(bytes: [UInt8], isUTF16: Bool) throws {
    let trial = try Trial("SELECT 1;", "")
    let head = isUTF16 ? "" : "SELECT 'ok äöü €𝄞',\n 1, "
    try trial.scratch.write(Data(head.utf8) + Data(bytes), to: "Migrations/0002.sql")

    let error = try #require(trial.error())

    let words =
      isUTF16
      ? "1:1: the text is UTF-16, not UTF-8"
      : "2:\(bytes.count == 1 ? 5 : 6): bytes that are not UTF-8"
    #expect(error.says(.scripts, "\(trial.path(2)):\(words)"), "\(error)")
  }

  @Test(.tags(.S11))
  func `finds the ends of statements where SQLite finds them`() throws {
    let trial = try Trial(
      "\u{feff}-- ; '\r\n"
        + """
        /* ; " */CREATE TABLE "t;1"([a;] TEXT DEFAULT ';', `b;` DEFAULT '--', 'c' DEFAULT '/*');;\r
        CREATE TRIGGER "END;" AFTER INSERT ON "t;1" BEGIN\r
          SELECT CASE WHEN new."a;" THEN 1 ELSE 2 END; -- END;\r
          UPDATE "t;1" SET `b;` = ';END;' WHERE 'a' = 'a'; \r
        END;\r
        SELECT * FROM (SELECT 1 UNION SELECT 2);\r
        EXPLAIN SELECT 1; EXPLAIN QUERY PLAN SELECT 1;\r
        INSERT INTO "t;1"('a;') VALUES('it''s; "x" \r\nä')
        """)

    try trial.upgrade()

    #expect(
      try trial.ask("SELECT hex(\"a;\"), \"b;\", c FROM \"t;1\"")
        == "697427733B20227822200D0AC3A4|;END;|/*")
  }

  @Test(.tags(.S8, .S11))
  func `runs a last statement without a semicolon`() throws {
    let trial = try Trial("CREATE TABLE t(a); INSERT INTO t VALUES(1) -- done", "SELECT 1/**/")

    try trial.upgrade()

    #expect(try trial.ask("SELECT * FROM t") == "1")
    #expect(try trial.version() == 2)
  }

  @Test(.tags(.S16))
  func `refuses a script that is a directory, or that cannot be read`() throws {
    let trial = try Trial("CREATE TABLE t(a);")
    try trial.scratch.write("", to: "Migrations/0002.sql/file")

    let error = trial.error { _ in }
    let errorOfTwo = Result { try trial.upgrade(to: 2) }

    #expect(error == nil)
    expectError(.scripts, "\(trial.path(2)):1:1: this is not a file") {
      _ = try errorOfTwo.get()
    }
    #expect(try trial.version() == 1)
  }

  @Test(.tags(.S16))
  func `reads all scripts before it runs one, so that later changes of the files do not matter`()
    throws
  {
    let trial = try Trial("CREATE TABLE t(a);", "CREATE TABLE u(a);", "CREATE TABLE v(a);")

    let upgrade = try trial.upgrader().upgrade { event in
      if case .started(let script) = event, script.version == 1 {
        try? FileManager.default.removeItem(atPath: trial.path(2))
        try? trial.write("SELECT nosuch;", as: 3)
      }
    }

    #expect(upgrade.applied.map(\.version) == [1, 2, 3])
  }

  @Test(.tags(.S13))
  func `runs three hundred scripts by their numbers`() throws {
    let trial = try Trial("CREATE TABLE t(a INTEGER PRIMARY KEY, b);")
    for number in 2...300 {
      try trial.scratch.write(
        "INSERT INTO t(b) VALUES(\(number));", to: "Migrations/\(number)-x.sql")
    }

    let upgrade = try trial.upgrade(to: 300)

    #expect(upgrade.applied.map(\.version.number) == Array(1...300))
    #expect(try trial.ask("SELECT count(*) FROM t WHERE a = b - 1") == "299")
  }
}
