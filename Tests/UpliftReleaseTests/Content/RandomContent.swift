import Foundation
import TestSupport
import Uplift
import UpliftRelease

/// A product with random releases of content, and users who edit, skip releases and upgrade.
///
/// Rows are lists of values in SQL, as `quote` writes them, so that `1`, `1.0` and `'1'` differ.
struct RandomContent {
  typealias Row = [String]
  typealias Content = [String: [String: Row]]

  /// The tables that are refreshed, each with the number of columns of its key.
  static let tables = ["word": 1, "pair": 2, "tree": 1]
  /// For each table, those that refer to it: the columns, by their places, and the places in the key.
  static let children: [String: [(table: String, columns: [Int])]] = [
    "word": [("pair", [2]), ("note", [1])], "pair": [("note", [3, 4])],
    "tree": [("tree", [1]), ("note", [2])],
  ]

  struct Wrong: Error, CustomStringConvertible {
    let description: String
  }

  let site: Site
  private var dice: SplitMix
  private let foldsKeys: Bool
  private let isUnique: Bool
  private var columns = ["word": 3, "pair": 4, "tree": 3, "note": 5]
  private(set) var releases: [(version: Int, content: Content)] = []
  /// The path of each user's database, and the index of its release.
  private var users: [(path: String, release: Int)] = []
  private var version = 1
  private var script: String?

  init(_ seed: UInt64) throws {
    dice = SplitMix(seed)
    foldsKeys = dice.one(of: 3)
    isUnique = dice.one(of: 3)
    let (fold, unique) = (foldsKeys ? " COLLATE NOCASE" : "", isUnique ? " UNIQUE" : "")
    site = try Site(
      seed: """
        CREATE TABLE word (id TEXT\(fold) NOT NULL PRIMARY KEY, text TEXT\(fold)\(unique), n)
          \(dice.one(of: 3) ? "WITHOUT ROWID" : "");
        CREATE TABLE pair (a INTEGER NOT NULL, b TEXT NOT NULL, w TEXT REFERENCES word (id), v,
          PRIMARY KEY (a, b));
        CREATE TABLE tree (id INTEGER PRIMARY KEY, up INTEGER REFERENCES tree (id), name TEXT);
        CREATE TABLE note (id INTEGER PRIMARY KEY, w TEXT REFERENCES word (id),
          t INTEGER REFERENCES tree (id), a INTEGER, b TEXT, FOREIGN KEY (a, b) REFERENCES pair (a, b));
        CREATE TABLE log (id INTEGER PRIMARY KEY, what TEXT);
        CREATE TRIGGER before_word BEFORE INSERT ON word BEGIN INSERT INTO log (what) VALUES ('before'); END;
        CREATE TRIGGER after_word AFTER INSERT ON word BEGIN INSERT INTO log (what) VALUES ('after'); END;
        PRAGMA user_version = 1;
        """, scripts: [:])
    try FileManager.default.createDirectory(atPath: site.scripts, withIntermediateDirectories: true)
  }

  /// Makes releases, and lets users upgrade to some of them.
  mutating func run() throws {
    for release in 0..<(2 + dice.roll(4)) {
      try makeRelease(isFirst: release == 0)
      if release == 0 || dice.one(of: 2) {
        let path = site.scratch("user-\(users.count).db")
        try FileManager.default.copyItem(atPath: site.seed, toPath: path)
        users.append((path, release))
      }
      for user in users.indices {
        if users[user].release < release, dice.one(of: 2) { try upgrade(user) }
        try edit(users[user].path)
      }
    }
    for user in users.indices where users[user].release < releases.count - 1 { try upgrade(user) }
  }

  private func key(_ table: String, _ row: Row) -> String {
    let key = row.prefix(Self.tables[table] ?? 1).joined(separator: "|")
    return foldsKeys && table == "word" ? key.lowercased() : key
  }

  /// The rows of all tables, in one run of the shell.
  private func contents(_ path: String) throws -> Content {
    let names = ["log", "note", "pair", "tree", "word"]
    let queries = names.map { "SELECT '\($0)', * FROM \($0) ORDER BY 1;" }
    let text = try Shell.run(path, ".mode quote\n.separator |\n" + queries.joined(separator: "\n"))
    var content = Content(uniqueKeysWithValues: names.map { ($0, [:]) })
    for line in text.split(separator: "\n") {
      let row = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      let (table, values) = (String(row[0].dropFirst().dropLast()), Array(row.dropFirst()))
      content[table]?[key(table, values)] = values
    }
    return content
  }
}

/// Releases.
extension RandomContent {
  private mutating func makeRelease(isFirst: Bool) throws {
    if !isFirst, dice.one(of: 3), columns["word"] == 3 {
      version += 1
      try site.ship("\(version)_column.sql", "ALTER TABLE word ADD COLUMN more DEFAULT 'more';\n")
      let hasScript = script != nil
      version = Int(try site.bake { $0.hasNewContent = hasScript }.version.number)
      columns["word"] = 4
      for index in releases.indices {
        releases[index].content["word"] = releases[index].content["word"]?.mapValues {
          $0 + ["'more'"]
        }
      }
    }
    var content = releases.last?.content ?? Self.tables.mapValues { _ in [:] }
    for _ in 0..<20 {
      let new = changed(content)
      if !movesUniqueValues(new) {
        content = new
        break
      }
    }
    try write(content)
    if !isFirst {
      if script == nil { script = try site.refresh("word", "pair", "tree") }
      version = Int(try site.bake { $0.hasNewContent = true }.version.number)
    }
    releases.append((version, try contents(site.seed)))
    try site.scratch.write(
      try Data(contentsOf: URL(fileURLWithPath: site.seed)), to: "Released/app-\(version).db")
  }

  private func write(_ content: Content) throws {
    var sql = "BEGIN; DELETE FROM tree; DELETE FROM pair; DELETE FROM word;\n"
    for (table, rows) in content.sorted(by: { $0.key < $1.key }) {
      for (_, row) in rows.sorted(by: { $0.key < $1.key }) {
        let values = row.map { $0.hasPrefix("-Inf") || $0.hasPrefix("-9.0e+") ? "-9e999" : $0 }
          .joined(separator: ", ")
        sql += "INSERT INTO \(table) VALUES (\(values));\n"
      }
    }
    try Shell.run(site.seed, sql + "DELETE FROM log; COMMIT;")
  }

  /// The content with a few random changes, without rows that refer to nothing.
  private mutating func changed(_ content: Content) -> Content {
    var content = content
    for _ in 0..<(1 + dice.roll(6)) {
      let table = dice.pick(["word", "pair", "tree"])
      let known = (content[table] ?? [:]).keys.sorted()
      if !known.isEmpty, dice.one(of: 3) {
        content[table]?[dice.pick(known)] = nil
      } else {
        var row = row(of: table, content)
        let key = key(table, row)
        // A key keeps its spelling.
        if let old = content[table]?[key] { row[0] = old[0] }
        content[table]?[key] = row
      }
    }
    return withoutOrphans(content)
  }

  private mutating func row(of table: String, _ content: Content) -> Row {
    let more = columns[table] == 4 && table == "word" ? [dice.pick(["'more'", "'x'"])] : []
    switch table {
    case "word":
      return ["'\(dice.pick(Array("abcdefAB")))'", text(), value()] + more
    case "pair":
      let words = ["NULL"] + (content["word"] ?? [:]).values.map { $0[0] }.sorted()
      return [String(dice.roll(3)), "'\(dice.pick(Array("xyz")))'", dice.pick(words), value()]
    default:
      let id = dice.roll(7)
      let parents = ["NULL"] + (content["tree"] ?? [:]).keys.filter { Int($0) ?? 9 < id }.sorted()
      return [String(id), dice.pick(parents), "'\(dice.pick(Array("lmn")))'"]
    }
  }

  private mutating func text() -> String { "'\(dice.pick(Array("pqPQ")))\(dice.roll(5))'" }

  private mutating func value() -> String {
    dice.pick(["NULL", "0", "1", "1.0", "1.5", "'a'", "'A'", "'1'", "'it''s'", "x'00ff'", "-9e999"])
  }

  private func withoutOrphans(_ content: Content) -> Content {
    var content = content
    var texts: Set<String> = []
    for (key, row) in (content["word"] ?? [:]).sorted(by: { $0.key < $1.key }) where isUnique {
      let text = foldsKeys ? row[1].lowercased() : row[1]
      if !texts.insert(text).inserted { content["word"]?[key]?[1] = "NULL" }
    }
    for (key, row) in content["pair"] ?? [:] where row[2] != "NULL" {
      if content["word"]?[self.key("word", [row[2]])] == nil { content["pair"]?[key]?[2] = "NULL" }
    }
    for (key, row) in content["tree"] ?? [:] where row[1] != "NULL" {
      if content["tree"]?[row[1]] == nil { content["tree"]?[key]?[1] = "NULL" }
    }
    return content
  }

  /// True if a unique text goes from a row to another one: the author has to write that part.
  private func movesUniqueValues(_ content: Content) -> Bool {
    guard isUnique else { return false }
    func fold(_ text: String) -> String { foldsKeys ? text.lowercased() : text }
    return releases.contains { release in
      (release.content["word"] ?? [:]).contains { key, row in
        row[1] != "NULL"
          && (content["word"] ?? [:]).contains {
            $0.key != key && fold($0.value[1]) == fold(row[1])
          }
      }
    }
  }
}

/// Users.
extension RandomContent {
  private mutating func edit(_ path: String) throws {
    var sql = ""
    for _ in 0..<dice.roll(5) {
      let (id, number) = ("'\(dice.pick(Array("abcdefAB")))'", dice.roll(7))
      sql += dice.pick([
        "UPDATE OR IGNORE word SET text = \(text()) WHERE id = \(id);",
        "UPDATE OR IGNORE word SET text = lower(text) WHERE id = \(id);",
        "INSERT OR IGNORE INTO word (id, text, n) VALUES (\(id), \(text()), \(value()));",
        """
        DELETE FROM word WHERE id = \(id) AND NOT EXISTS (SELECT 1 FROM pair WHERE pair.w = word.id)
          AND NOT EXISTS (SELECT 1 FROM note WHERE note.w = word.id);
        """, "INSERT INTO note (w) SELECT id FROM word ORDER BY random() LIMIT 1;",
        "INSERT INTO note (t) SELECT id FROM tree ORDER BY random() LIMIT 1;",
        "INSERT INTO note (a, b) SELECT a, b FROM pair ORDER BY random() LIMIT 1;",
        "UPDATE pair SET v = \(value()) WHERE a = \(number);",
        "INSERT OR IGNORE INTO pair VALUES (\(number), 'x', NULL, \(value()));",
        "INSERT OR IGNORE INTO tree SELECT \(number), max(id), 'mine' FROM tree WHERE id < \(number);",
      ])
    }
    try Shell.run(path, sql)
  }

  /// Upgrades a user's database, and compares each row with what a refresh promises.
  private mutating func upgrade(_ user: Int) throws {
    let (path, from) = users[user]
    try Shell.run(path, "DELETE FROM log;")
    var before = try contents(path)
    if let width = before["word"]?.values.first?.count, width < columns["word"] ?? 3 {
      before["word"] = before["word"]?.mapValues { $0 + ["'more'"] }
    }

    try Upgrader(
      database: path, seed: .file(site.seed), migrations: .directory(site.scripts)
    ).upgrade()

    let after = try contents(path)
    guard after["note"] == before["note"] else { throw Wrong(description: "a note has changed") }
    let log = (after["log"] ?? [:]).values.map { $0[1] }
    guard log.count(where: { $0 == "'before'" }) == log.count(where: { $0 == "'after'" }) else {
      throw Wrong(description: "triggers: \(log)")
    }
    for table in Self.tables.keys {
      let new = releases[releases.count - 1].content[table] ?? [:]
      let old = releases[from].content[table] ?? [:]
      for key in Set((before[table] ?? [:]).keys).union(new.keys).union((after[table] ?? [:]).keys)
      {
        let (now, was) = (after[table]?[key], before[table]?[key])
        let allowed = expected(table, key, was, new[key], isOld: old[key] != nil, after)
        guard allowed.contains(now) else {
          throw Wrong(
            description: "user \(user) from \(releases[from].version): \(table) \(key) was "
              + "\(was ?? []), is \(now ?? []), the seed has \(new[key] ?? []), expected \(allowed)"
          )
        }
      }
    }
    users[user].release = releases.count - 1
  }

  /// What a row may be after an upgrade.
  private func expected(
    _ table: String, _ key: String, _ was: Row?, _ new: Row?, isOld: Bool, _ after: Content
  ) -> [Row?] {
    // A user may have taken a unique text, or have deleted the parent.
    let isInTheWay = isUnique && table == "word"
    var lacksParent = false
    if let new, table == "pair", new[2] != "NULL" {
      lacksParent = after["word"]?[self.key("word", [new[2]])] == nil
    } else if let new, table == "tree", new[1] != "NULL" {
      lacksParent = after["tree"]?[new[1]] == nil
    }
    guard let was else {
      guard let new, !isOld, !lacksParent else { return [nil] }
      return isInTheWay ? [new, nil] : [new]
    }
    let isShipped = releases.contains { $0.content[table]?[key] == was }
    guard isShipped else { return [was] }
    guard let new else {
      let isReferred = (Self.children[table] ?? []).contains { child in
        (after[child.table] ?? [:]).values.contains { row in
          let value = child.columns.map { row[$0] }
          return self.key(table, value) == key
        }
      }
      return isReferred ? [was] : [nil]
    }
    if lacksParent { return [was] }
    return isInTheWay ? [new, was] : [new]
  }
}

/// Numbers that look random and are the same for the same seed.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to one below `count`.
  mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

  mutating func one(of count: Int) -> Bool { roll(count) == 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[roll(elements.count)]
  }
}
