internal import Uplift
internal import UpliftSQLite

/// The objects in a database that are not compared with the scripts.
struct OtherObjects {
  /// The indexes that an operator has made: on a table of the scripts, and with a name that no
  /// script uses.
  let indexes: [Name]
  /// The tables in which another tool lists its steps.
  let tables: [Name]

  /// `tables` and `indexes` are those that the scripts and the seed have made at any version.
  init(in schema: DatabaseSchema, tables: Set<Name>, indexes: Set<Name>, _ scripts: [Script]) {
    func isUsed(_ name: Name) -> Bool { scripts.contains { $0.uses(name) } }
    let others = schema.objects.filter { name, object in
      object.kind == .index && tables.contains(object.table) && !indexes.contains(name)
        && !isUsed(name)
    }
    self.indexes = others.keys.sorted()
    self.tables = schema.tables.keys.sorted().filter { name in
      ToolTables.names.contains(name) && !tables.contains(name) && !isUsed(name)
    }
  }

  /// The objects that `own`, the schema after all scripts, does not have.
  init(in schema: DatabaseSchema, besides own: DatabaseSchema, _ scripts: [Script]) {
    self.init(in: schema, tables: Set(own.tables.keys), indexes: own.indexes, scripts)
  }
}

extension DatabaseSchema {
  /// The names of the indexes.
  var indexes: Set<Name> { Set(objects.lazy.filter { $0.value.kind == .index }.map(\.key)) }
}
