internal import UpliftSQLite

/// One difference between two schemas: what the first has, and what the second has instead.
struct SchemaDifference: Hashable {
  /// The object, as in `column users.email`.
  let object: String
  /// The property that differs; nil if the object itself is missing on one side.
  let property: Property?
  /// True if the first schema has the object.
  let isInFirst: Bool

  struct Property: Hashable {
    let first: String
    let second: String
  }

  /// True if the first schema has a table, an index, a view or a trigger that the second does not.
  var isAddition: Bool {
    property == nil && isInFirst
      && ["table ", "index ", "view ", "trigger "].contains(where: object.hasPrefix)
  }

  private init(_ object: String, isInFirst: Bool) {
    self.object = object
    property = nil
    self.isInFirst = isInFirst
  }

  private init(_ object: String, _ first: String, _ second: String) {
    self.object = object
    property = Property(first: first, second: second)
    isInFirst = true
  }

  /// The differences, sorted by the names of the objects.
  static func between(_ first: DatabaseSchema, _ second: DatabaseSchema) -> [SchemaDifference] {
    var found: [SchemaDifference] = []
    for name in Set(first.tables.keys).union(second.tables.keys).sorted() {
      switch (first.tables[name], second.tables[name]) {
      case (let one?, let other?): found += differences(name, one, other)
      case (let one, _):
        found.append(SchemaDifference("table \(name.shown)", isInFirst: one != nil))
      }
    }
    for name in Set(first.objects.keys).union(second.objects.keys).sorted() {
      let (one, other) = (first.objects[name], second.objects[name])
      guard one != other, let kind = (one ?? other)?.kind.rawValue else { continue }
      let object = "\(kind) \(name.shown)"
      if let one, let other {
        found.append(SchemaDifference(object, one.words.shown, other.words.shown))
      } else {
        found.append(SchemaDifference(object, isInFirst: one != nil))
      }
    }
    return found
  }

  private static func differences(
    _ name: Name, _ one: TableSchema, _ other: TableSchema
  ) -> [SchemaDifference] {
    if one == other { return [] }
    var found: [SchemaDifference] = []
    let table = name.shown
    func compare<Part: Hashable>(_ one: [Part], _ other: [Part], _ show: (Part) -> String) {
      for part in one.filter({ !other.contains($0) }).map(show).sorted() {
        found.append(SchemaDifference(part, isInFirst: true))
      }
      for part in other.filter({ !one.contains($0) }).map(show).sorted() {
        found.append(SchemaDifference(part, isInFirst: false))
      }
    }
    let columns = one.columns.map(\.name)
    let otherColumns = other.columns.map(\.name)
    compare(columns, otherColumns) { "column \(table).\($0.shown)" }
    for column in one.columns {
      guard let twin = other.columns.first(where: { $0.name == column.name }) else { continue }
      found += differences("column \(table).\(column.name.shown)", column, twin)
    }
    if Set(columns) == Set(otherColumns), columns != otherColumns {
      found.append(
        SchemaDifference(
          "table \(table)", "columns in the order \(list(columns))",
          "in the order \(list(otherColumns))"))
    }
    compare(one.references.sorted(), other.references.sorted()) { reference in
      let parent = reference.parentColumns.isEmpty ? "" : " (\(list(reference.parentColumns)))"
      return
        "reference of \(table) (\(list(reference.columns))) to \(reference.parent.shown)\(parent)"
        + reference.actions
    }
    compare(Array(one.uniqueConstraints), Array(other.uniqueConstraints)) { columns in
      "UNIQUE constraint on \(table) (\(words(columns)))"
    }
    if one.primaryKey != other.primaryKey {
      found.append(
        SchemaDifference(
          "primary key of \(table)", "(\(words(one.primaryKey)))", "(\(words(other.primaryKey)))"))
    }
    compare(Array(one.checks), Array(other.checks)) {
      "constraint CHECK (\($0.shown)) on \(table)"
    }
    for (option, twin) in zip(one.options.all, other.options.all) where option.isOn != twin.isOn {
      found.append(SchemaDifference("\(option.name) on table \(table)", isInFirst: option.isOn))
    }
    found += conflicts(name, one, other)
    // The list above covers what people write; this is for anything else.
    if found.isEmpty {
      found.append(SchemaDifference("table \(table)", "one definition", "another"))
    }
    return found
  }

  private static func differences(
    _ object: String, _ one: TableSchema.Column, _ other: TableSchema.Column
  ) -> [SchemaDifference] {
    func words(_ value: DefaultValue?) -> String {
      value.map { "DEFAULT \($0.shown)" } ?? "no default"
    }
    func type(_ column: TableSchema.Column) -> String {
      column.type.words.isEmpty ? "no type" : "the type \(column.type.shown.uppercased())"
    }
    func nullability(_ column: TableSchema.Column) -> String {
      guard column.isNotNull else { return "NULL allowed" }
      return "NOT NULL" + (column.conflict.map { " ON CONFLICT \($0)" } ?? "")
    }
    func key(_ column: TableSchema.Column) -> String {
      column.positionInKey == 0 ? "no place in the key" : "place \(column.positionInKey) in the key"
    }
    func kind(_ column: TableSchema.Column) -> String {
      switch column.kind {
      case 2: "generated values"
      case 3: "generated and stored values"
      default: "no generated values"
      }
    }
    var found: [SchemaDifference] = []
    func compare<Part: Equatable>(
      _ part: (TableSchema.Column) -> Part, _ show: (TableSchema.Column) -> String
    ) {
      guard part(one) != part(other) else { return }
      found.append(SchemaDifference(object, show(one), show(other)))
    }
    compare(\.type, type)
    compare(nullability, nullability)
    compare(\.defaultValue) { words($0.defaultValue) }
    compare(\.collation) { "the collation \($0.collation?.shown ?? "BINARY")" }
    compare(\.positionInKey, key)
    compare(\.kind, kind)
    compare(\.expression) { $0.expression.map { "AS (\($0.shown))" } ?? "no expression" }
    return found
  }

  /// The differences between the clauses of keys that both tables have.
  private static func conflicts(
    _ name: Name, _ one: TableSchema, _ other: TableSchema
  ) -> [SchemaDifference] {
    let keys = Set(one.conflicts.keys).union(other.conflicts.keys)
    return keys.compactMap { key in
      let (first, second) = (one.conflicts[key], other.conflicts[key])
      guard first != second, let columns = one.key(key), other.key(key) != nil else { return nil }
      let object =
        columns == one.primaryKey
        ? "primary key of \(name.shown)"
        : "UNIQUE constraint on \(name.shown) (\(words(columns)))"
      return SchemaDifference(
        object, first.map { "ON CONFLICT \($0)" } ?? "no clause",
        second.map { "ON CONFLICT \($0)" } ?? "no clause")
    }.sorted { $0.object < $1.object }
  }

  /// The columns of a key, with what differs from the defaults.
  private static func words(_ columns: [TableSchema.IndexColumn]) -> String {
    columns.map { column in
      let collation = column.collation.flatMap {
        $0 == Name("BINARY") ? nil : " COLLATE \($0.shown)"
      }
      return (column.name?.shown ?? "an expression") + (collation ?? "")
        + (column.isDescending ? " DESC" : "")
    }.joined(separator: ", ")
  }

  private static func list(_ names: [Name]) -> String {
    names.map(\.shown).joined(separator: ", ")
  }
}

extension TableSchema.Reference {
  fileprivate var actions: String {
    (onDelete == "NO ACTION" ? "" : " ON DELETE \(onDelete)")
      + (onUpdate == "NO ACTION" ? "" : " ON UPDATE \(onUpdate)")
      + (isDeferred ? " DEFERRABLE INITIALLY DEFERRED" : "")
  }
}

extension TableSchema {
  /// The key that has these columns, with their order; nil if there is no such key.
  fileprivate func key(_ columns: [IndexColumn]) -> [IndexColumn]? {
    ([primaryKey] + uniqueConstraints).first { $0.map(\.ascending) == columns }
  }
}

extension TableSchema.Reference: Comparable {
  /// Orders references by their columns and parents, so that messages do not depend on a hash.
  static func < (left: Self, right: Self) -> Bool {
    (left.columns + [left.parent] + left.parentColumns)
      .lexicographicallyPrecedes(right.columns + [right.parent] + right.parentColumns)
  }
}
