internal import Uplift
internal import UpliftSQLite

/// The views that cannot be read, and the tables and views that cannot be changed because of a
/// trigger.
struct BrokenObjects {
  /// Those that were broken before the first script.
  private var atStart: Set<Name> = []
  /// Those that were not broken before the script that runs now; empty if it has neither of the
  /// words `drop` and `rename`.
  private var working: Set<Name> = []
  /// For each that is broken, the script that broke it, made it or changed it.
  private var origins: [Name: Script] = [:]

  init() {}

  init(before tables: ObservedTables, _ connection: borrowing Connection) {
    atStart = Set(Self.all(in: tables, connection).keys)
  }

  /// Finds out what works before a script that may drop or rename something.
  mutating func willRun(
    _ script: Script, _ tables: ObservedTables, _ connection: borrowing Connection
  ) {
    working = []
    guard script.mayMention("drop") || script.mayMention("rename") else { return }
    for (name, table) in tables.all where table.usesOthers {
      if connection.fault(of: table) == nil { working.insert(name) }
    }
  }

  /// What the script has broken.
  mutating func didRun(
    _ script: Script, _ changes: ObservedTables.Changes, _ tables: ObservedTables,
    _ actions: ScriptActions, _ connection: borrowing Connection
  ) -> [PlacedFact] {
    for (before, after) in changes.renamed { origins[after] = origins.removeValue(forKey: before) }
    for table in changes.kept.map(\.after) + changes.new {
      let isBroken = table.usesOthers && connection.fault(of: table) != nil
      origins[table.name] = isBroken ? origins[table.name] ?? script : nil
    }
    defer { working = [] }
    return working.sorted().compactMap { name in
      guard let now = tables.all[name], let fault = connection.fault(of: now) else { return nil }
      origins[name] = script
      return PlacedFact(fault, in: script, at: actions.offsetOfDrop(name))
    }
  }

  /// What is broken after the last script, each at the script that broke, made or changed it, or at
  /// `start`.
  ///
  /// Leaves out what was broken before the first script, and what uses a function, a collation or a
  /// module that this connection does not have; perhaps the program has it.
  func atEnd(
    _ tables: ObservedTables, _ connection: borrowing Connection, start: Finding.Place
  ) -> [PlacedFact] {
    let missing = [
      "no such function: ", "unknown function: ", "no such collation sequence: ",
      "no such module: ",
    ]
    return Self.all(in: tables, connection).sorted { $0.key < $1.key }
      .compactMap { name, fact in
        guard !atStart.contains(name), !missing.contains(where: fact.words.contains) else {
          return nil
        }
        return origins[name].map { PlacedFact(fact, in: $0, at: nil) } ?? PlacedFact(fact, start)
      }
  }

  private static func all(
    in tables: ObservedTables, _ connection: borrowing Connection
  ) -> [Name: Fact] {
    var all: [Name: Fact] = [:]
    for (name, table) in tables.all where table.usesOthers {
      all[name] = connection.fault(of: table)
    }
    return all
  }
}

extension ObservedTable {
  /// True for a view, and for a table with triggers: they break if an object that they use is gone.
  fileprivate var usesOthers: Bool { kind == .view || kind == .table && !triggers.isEmpty }
}

extension Connection {
  /// The fact if a view cannot be read, or a table or a view cannot be changed because of its
  /// triggers.
  fileprivate borrowing func fault(of table: ObservedTable) -> Fact? {
    let name = table.name
    if table.kind == .view {
      do throws(SQLiteError) {
        _ = try prepare("SELECT * FROM main.\(name)" as SQL)
      } catch {
        return .brokenView(name: name.shown, words: error.message)
      }
    }
    if table.triggers.isEmpty { return nil }
    do throws(SQLiteError) {
      for change in try changes(of: name) {
        do throws(SQLiteError) {
          _ = try prepare(change)
        } catch  where table.kind == .view && error.message.hasPrefix("cannot modify ") {
          // The view has no trigger for this change.
        }
      }
      return nil
    } catch {
      return .brokenTrigger(table: name.shown, words: error.message)
    }
  }

  private borrowing func changes(of table: Name) throws(SQLiteError) -> [SQL] {
    // All columns, because a trigger may be for one of them only.
    let columns = try columns(of: table).filter { !$0.isGenerated }.map(\.name)
    return [
      "DELETE FROM main.\(table)", "INSERT INTO main.\(table) DEFAULT VALUES",
      "UPDATE main.\(table) SET \(SQL.list(columns) { "\($0) = \($0)" })",
    ]
  }
}
