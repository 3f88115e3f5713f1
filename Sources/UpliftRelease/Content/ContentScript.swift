internal import Uplift
internal import UpliftSQLite

/// The text of a script that brings the rows of the seed into existing databases.
///
/// It is plain SQL, to be read and edited: a block with the differences between the releases, which is
/// written anew with each release, and three statements for each table.
struct ContentScript {
  /// Each after those that it refers to.
  let tables: [ContentTable]

  static let blockStart = "-- differences: "
  static let blockEnd = "-- end of differences\n"

  func text(_ differences: Differences) -> String {
    Self.beginning + block(differences) + statements
  }

  static let beginning = """
    -- uplift: reads-seed
    --
    -- Brings the rows of the seed into existing databases. A row is changed or removed only if it still is
    -- what a release has shipped, and no other row refers to it. A row that a user has added or deleted
    -- stays so. If a column belongs to the user, remove it from the UPDATE: after SET, and on both sides of IS.


    """

  /// The differences, between two lines by which `bake --content` finds them.
  func block(_ differences: Differences) -> String {
    let names = tables.map { String(decoding: $0.name.bytes, as: UTF8.self) }
    var text = """
      \(Self.blockStart)\(names.joined(separator: ", "))
      -- uplift bake --content writes this part anew, from the seeds in Released.
      -- former: the contents that rows had in releases, and have not any more.
      -- lacked: the keys that a database from a release of at least since and below below does not have.

      """
    for table in tables {
      let found = differences.tables[table.name] ?? Differences.Table()
      let key = sql(table.key.map(\.name))
      text += table.createFormer
      text += values(table.former, found.former)
      text += "CREATE TEMP TABLE \(table.lacked) (\(key), since, below);\n"
      text += "INSERT INTO \(table.lacked) SELECT \(key), 0, \(differences.oldest) "
      text += "FROM seed.\(table.text) WHERE upgraded_from() < \(differences.oldest);\n"
      text += values(table.lacked, found.lacked)
    }
    return text + Self.blockEnd
  }

  private func values(_ table: String, _ rows: [String]) -> String {
    rows.isEmpty
      ? ""
      : "INSERT INTO \(table) VALUES\n" + rows.map { "  (\($0))" }.joined(separator: ",\n") + ";\n"
  }

  /// What is to be done with the differences.
  ///
  /// Rows go first, so that a new row may have the unique values of one that is gone; and again at the
  /// end, because rows that referred to them may have changed.
  var statements: String {
    let refreshed = Set(tables.map(\.name))
    let again = tables.reversed().filter { table in
      table.children.contains { refreshed.contains($0.table) }
    }
    return tables.map(gone).joined() + tables.reversed().map(delete).joined()
      + tables.map { $0.refersToItself ? insert($0) + update($0) : update($0) + insert($0) }
      .joined()
      + (again.isEmpty ? "" : "\n-- Again, because rows that referred to these may have changed.")
      + again.map(delete).joined()
  }

  private func gone(_ table: ContentTable) -> String {
    """

    -- Rows of \(table.comment) that the seed has no more, and nobody has edited.
    CREATE TEMP TABLE \(table.gone) AS
    SELECT \(sql(table.key.map(\.name), of: "mine"))
    FROM \(table.former) AS old JOIN \(table.text) AS mine ON \(table.sameKey("mine", "old"))
    WHERE \(table.sameValues("old", "mine"))
      AND NOT EXISTS (SELECT 1 FROM seed.\(table.text) AS new WHERE \(table.sameKey("new", "mine")));

    """
  }

  private func delete(_ table: ContentTable) -> String {
    let gone = "(SELECT \(sql(table.key.map(\.name))) FROM \(table.gone))"
    var guards = table.children.filter { $0.table != table.name }.map { child in
      "EXISTS (SELECT 1 FROM \(child.table.sql) AS child WHERE \(joined(child.key, "mine", "child")))"
    }
    guard let own = table.children.first(where: { $0.table == table.name })?.key else {
      let kept = guards.map { "\n  AND NOT \($0)" }.joined()
      return "\nDELETE FROM \(table.text) AS mine WHERE \(table.keyTuple) IN \(gone)\(kept);\n"
    }
    guards.append(
      "EXISTS (SELECT 1 FROM \(table.text) AS child WHERE \(joined(own, "mine", "child"))\n"
        + "    AND \(table.tuple(of: "child")) NOT IN \(gone))")
    return """

      WITH RECURSIVE kept AS (
        SELECT mine.* FROM \(table.text) AS mine WHERE \(table.tuple(of: "mine")) IN \(gone)
          AND (\(guards.joined(separator: " OR\n    ")))
        UNION
        SELECT mine.* FROM kept AS child JOIN \(table.text) AS mine ON \(joined(own, "mine", "child"))
      )
      DELETE FROM \(table.text) WHERE \(table.keyTuple) IN \(gone)
        AND \(table.keyTuple) NOT IN (SELECT \(sql(table.key.map(\.name))) FROM kept);

      """
  }

  /// Empty if the table has only a key.
  private func update(_ table: ContentTable) -> String {
    let changing = table.changingColumns.map(\.sql)
    if changing.isEmpty { return "" }
    let conditions =
      [
        table.sameKey("mine", "old"), table.sameKey("mine", "new"),
        table.sameValues("old", "mine"),
      ]
      + table.uniques.map { unique in
        "NOT EXISTS (SELECT 1 FROM \(table.text) AS other\n    WHERE \(same(unique, "other", "new")) "
          + "AND NOT (\(table.sameKey("other", "mine"))))"
      } + table.parents.map(parentIsThere)
    return """

      UPDATE \(table.text) AS mine SET
        \(changing.map { "\($0) = new.\($0)" }.joined(separator: ",\n  "))
      FROM \(table.former) AS old, seed.\(table.text) AS new
      WHERE \(conditions.joined(separator: "\n  AND "));

      """
  }

  private func insert(_ table: ContentTable) -> String {
    let columns = sql(table.columns.map(\.name))
    let conditions =
      [
        "gap.since <= upgraded_from() AND upgraded_from() < gap.below",
        "NOT EXISTS (SELECT 1 FROM \(table.text) AS mine WHERE \(table.sameKey("mine", "new")))",
      ]
      + table.uniques.map { unique in
        "NOT EXISTS (SELECT 1 FROM \(table.text) AS other WHERE \(same(unique, "other", "new")))"
      } + table.parents.filter { $0.parent != table.name }.map(parentIsThere)
    let source = """
      FROM \(table.lacked) AS gap JOIN seed.\(table.text) AS new ON \(table.sameKey("new", "gap"))
      WHERE \(conditions.joined(separator: "\n  AND "))
      """
    guard let own = table.parents.first(where: { $0.parent == table.name }) else {
      return """

        INSERT INTO \(table.text) (\(columns))
        SELECT \(sql(table.columns.map(\.name), of: "new"))
        \(source)
        ON CONFLICT DO NOTHING;

        """
    }
    return """

      WITH RECURSIVE new AS (
      SELECT new.* \(source)
      ),
      coming AS (
        SELECT new.* FROM new WHERE \(parentIsThere(own)) OR \(joined(own, "new", "new"))
        UNION
        SELECT new.* FROM coming AS parent JOIN new ON \(joined(own, "parent", "new"))
      )
      INSERT INTO \(table.text) (\(columns))
      SELECT \(columns) FROM coming WHERE true
      ON CONFLICT DO NOTHING;

      """
  }

  /// A row whose parent a user has deleted stays out.
  private func parentIsThere(_ key: ForeignKey) -> String {
    let isNull = key.from.map { "new.\($0.sql) IS NULL" }.joined(separator: " OR ")
    return "(\(isNull) OR EXISTS (SELECT 1 FROM \(key.parent.sql) AS parent "
      + "WHERE \(joined(key, "parent", "new"))))"
  }

  /// The condition that a child refers to a parent.
  private func joined(_ key: ForeignKey, _ parent: String, _ child: String) -> String {
    zip(key.to, key.from).map { "\(parent).\($0.sql) = \(child).\($1.sql)" }
      .joined(separator: " AND ")
  }
}

private func sql(_ names: [Name], of table: String? = nil) -> String {
  names.map { (table.map { "\($0)." } ?? "") + $0.sql }.joined(separator: ", ")
}

/// The condition that the columns of an index have the same values; the first table has the collations.
private func same(_ columns: [ContentTable.KeyColumn], _ one: String, _ other: String) -> String {
  columns.map { column in
    let collate = column.collation.map { " COLLATE \($0.sql)" } ?? ""
    return "\(one).\(column.name.sql)\(collate) = \(other).\(column.name.sql)"
  }.joined(separator: " AND ")
}

extension ContentTable {
  var text: String { name.sql }
  fileprivate var comment: String { String(decoding: name.bytes, as: UTF8.self) }
  fileprivate var former: String { Name("former_".utf8 + name.bytes).sql }
  fileprivate var createFormer: String {
    "CREATE TEMP TABLE \(former) (\(sql(columns.map(\.name))));\n"
  }
  fileprivate var lacked: String { Name("lacked_".utf8 + name.bytes).sql }
  fileprivate var gone: String { Name("gone_".utf8 + name.bytes).sql }
  fileprivate var refersToItself: Bool { parents.contains { $0.parent == name } }

  /// The columns that an `UPDATE` sets: the seed may spell a key in another way, which its collation or
  /// its type takes for the same.
  var changingColumns: [Name] {
    columns.filter { column in
      column.foldsValues || column.holdsAnyType || !key.contains { $0.name == column.name }
    }.map(\.name)
  }

  func sameKey(_ one: String, _ other: String) -> String { same(key, one, other) }

  /// The condition that two rows have the same values, by type and bytes.
  ///
  /// If `one` is a temporary table, it has no collations that would have to be overruled.
  func sameValues(_ one: String, _ other: String, isTemporary: Bool = true) -> String {
    func values(_ table: String) -> String {
      columns.map { column in
        let collate = column.foldsValues && !isTemporary ? " COLLATE BINARY" : ""
        let value = "\(table).\(column.name.sql)\(collate)"
        return column.holdsAnyType ? "\(value), typeof(\(value))" : value
      }.joined(separator: ", ")
    }
    let isOne = columns.count == 1 && !columns[0].holdsAnyType
    return isOne ? "\(values(one)) IS \(values(other))" : "(\(values(one))) IS (\(values(other)))"
  }

  /// The key, for `IN`.
  fileprivate var keyTuple: String { tuple(of: nil) }

  fileprivate func tuple(of table: String?) -> String {
    key.count == 1 ? sql(key.map(\.name), of: table) : "(\(sql(key.map(\.name), of: table)))"
  }
}

extension Name {
  /// The name in SQL; the names of a ``ContentTable`` are UTF-8.
  var sql: String { String(decoding: written, as: UTF8.self) }
}

/// A script that reads the seed, in three parts.
struct ContentParts {
  let before: String
  /// The tables whose differences the middle part holds.
  let tables: [String]
  private let differences: Substring
  let after: String

  /// Nil if there is no part with differences.
  init?(of script: Script) {
    let text = script.withText { String(decoding: $0, as: UTF8.self) }
    guard let start = text.firstRange(of: ContentScript.blockStart),
      let end = text[start.upperBound...].firstRange(of: ContentScript.blockEnd)
    else { return nil }
    before = String(text[..<start.lowerBound])
    differences = text[start.upperBound..<end.lowerBound]
    after = String(text[end.upperBound...])
    let line = text[start.upperBound...].prefix { $0 != "\n" }
    tables = line.split(separator: ", ").map(String.init)
  }

  /// True if the tables have the columns that they had when the differences were written.
  func isAbout(_ tables: [ContentTable]) -> Bool {
    tables.allSatisfy { differences.contains($0.createFormer) }
  }
}
