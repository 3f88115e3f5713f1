internal import Uplift
internal import UpliftSQLite

/// A table of the seed whose rows a script brings into existing databases.
struct ContentTable {
  struct Column {
    let name: Name
    /// True if values that differ in their bytes may be equal, because of a collation.
    let foldsValues: Bool
    /// True if the column's type lets it hold both 1 and 1.0, which compare as equal.
    let holdsAnyType: Bool
  }

  /// A column of the primary key, or of a unique index.
  struct KeyColumn {
    let name: Name
    /// The collation of the index, if it is not that of the column.
    let collation: Name?
  }

  let name: Name
  /// The columns that a script can write: generated columns are left out.
  let columns: [Column]
  /// The columns of the primary key, in its order.
  let key: [KeyColumn]
  /// The columns of each unique index, besides the key.
  private(set) var uniques: [[KeyColumn]] = []
  /// A unique index on an expression or with `WHERE`; nil if there is none.
  private var unguarded: Name?
  /// What its rows refer to; each with the columns of the parent.
  let parents: [ForeignKey]
  /// The tables whose rows refer to its rows.
  private(set) var children: [(table: Name, key: ForeignKey)] = []

  /// Reads tables by their names, each after those that it refers to, except in a circle.
  ///
  /// With `guardsUniques`, a unique index must be one that a condition can guard.
  static func read(
    _ names: [String], in seed: borrowing Connection, guardsUniques: Bool
  ) throws(UpgradeError) -> [ContentTable] {
    var tables: [ContentTable] = []
    for wanted in names where !tables.contains(where: { $0.name == Name(wanted) }) {
      let table = try read(wanted, in: seed)
      if guardsUniques, let index = table.unguarded {
        throw UpgradeError(
          .seed,
          "\(wanted.quoted) has the unique index \(index.shown) on an expression or with WHERE",
          fix: "write the script by hand, or with --overwrite")
      }
      tables.append(table)
    }
    tables.sort { $0.name < $1.name }
    var seen: Set<Name> = []
    var sorted: [ContentTable] = []
    func add(_ table: ContentTable) {
      guard seen.insert(table.name).inserted else { return }
      for parent in tables where table.parents.contains(where: { $0.parent == parent.name }) {
        add(parent)
      }
      sorted.append(table)
    }
    for table in tables { add(table) }
    return sorted
  }

  private static func read(
    _ wanted: String, in seed: borrowing Connection
  ) throws(UpgradeError) -> ContentTable {
    var problem: (words: String, fix: String)?
    do throws(SQLiteError) {
      if let name = try seed.tables().first(where: { $0 == Name(wanted) }) {
        let table = try ContentTable(name, seed)
        problem = try table.problem(seed)
        if problem == nil { return table }
      } else if try seed.hasTable(Name(wanted)), !Name(wanted).isInternal {
        problem = ("is a virtual table", "name the table that its rows come from; triggers fill it")
      }
    } catch {
      throw UpgradeError(error, at: wanted)
    }
    guard let problem else {
      throw .path(wanted, "is not a table of the seed", fix: "name a table that the seed has")
    }
    throw UpgradeError(.seed, "\(wanted.quoted) \(problem.words)", fix: problem.fix)
  }

  private init(_ name: Name, _ seed: borrowing Connection) throws(SQLiteError) {
    self.name = name
    let all = try seed.columns(of: name).filter { !$0.isGenerated }
    let primary = try seed.primaryKey(of: name)
    key = primary.compactMap { Self.keyColumn($0, of: name, seed) }
    columns = all.map { column in
      let collations = [
        seed.collation(of: column.name, in: name),
        primary.first { $0.name == column.name }?.collation,
      ]
      let type = String(decoding: column.type.folded, as: UTF8.self)
      return Column(
        name: column.name,
        foldsValues: collations.contains { $0 != nil && $0 != Name("BINARY") },
        holdsAnyType: type.isEmpty || type.contains("blob") || type == "any")
    }
    parents = try seed.foreignKeys(of: name).map { key throws(SQLiteError) in
      try seed.whole(key)
    }
    try readUniques(seed)
    for table in try seed.tables() {
      for key in try seed.foreignKeys(of: table) where key.parent == name {
        children.append((table, try seed.whole(key)))
      }
    }
  }

  private static func keyColumn(
    _ column: TableSchema.IndexColumn, of table: Name, _ seed: borrowing Connection
  ) -> KeyColumn? {
    column.name.map { name in
      let own = seed.collation(of: name, in: table) ?? Name("BINARY")
      return KeyColumn(name: name, collation: column.collation == own ? nil : column.collation)
    }
  }

  private mutating func readUniques(_ seed: borrowing Connection) throws(SQLiteError) {
    let indexes = try seed.prepare("PRAGMA main.index_list(\(name))" as SQL)
    while try indexes.step() {
      guard indexes.integer(2) == 1, indexes.text(3) != "pk", let index = indexes.name(1) else {
        continue
      }
      let columns = try seed.columns(ofIndex: index)
      let known = columns.compactMap { Self.keyColumn($0, of: name, seed) }
      if indexes.integer(4) == 1 || known.count < columns.count {
        unguarded = index
      }
      uniques.append(known)
    }
  }

  /// Why its rows cannot be refreshed, and what to do; nil if they can.
  private func problem(
    _ seed: borrowing Connection
  ) throws(SQLiteError) -> (words: String, fix: String)? {
    let byHand = "write the script by hand"
    if key.isEmpty {
      return (
        "has no primary key, so its rows cannot be told apart",
        "rebuild the table with a primary key, or \(byHand)"
      )
    }
    if parents.count(where: { $0.parent == name }) > 1 {
      return ("refers to itself by two foreign keys", byHand)
    }
    let isNull = key.map { "\($0.name) IS NULL" as SQL }.joined(separator: " OR ")
    if try seed.prepare("SELECT 1 FROM main.\(name) WHERE \(isNull)" as SQL).step() {
      return (
        "has rows with NULL in their primary key, which cannot be told from others",
        "declare the key NOT NULL, or \(byHand)"
      )
    }
    return nil
  }
}

extension Connection {
  /// A foreign key with the columns that it leads to, also if they are not written.
  fileprivate borrowing func whole(_ key: ForeignKey) throws(SQLiteError) -> ForeignKey {
    var key = key
    if key.to.isEmpty { key.to = try columns(of: key.parent).primaryKey }
    return key
  }
}
