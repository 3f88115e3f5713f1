internal import UpliftRelease

extension JSON {
  /// The object that `uplift rehearse --json` prints.
  ///
  /// - `command`: `"rehearse"`
  /// - `database`: its path
  /// - `start`, `target`: its version, and the version that an upgrade would lead to
  /// - `copy`: its `bytes`, and the `seconds` that the copying took; null if nothing is pending
  /// - `scripts`: each with `version`, `name`, `seconds`, and the bytes of the database `before` and
  ///   `after`
  /// - `tables`: each with `name`, and its rows `before` and `after`; null if there is no such
  ///   table, or if its rows cannot be counted
  /// - `gone`: the objects that are gone, as `index guests_by_name`
  /// - `room`: for each directory `path`, and the bytes that are `needed` and `free`
  /// - `error`: the error that an upgrade would end with, only if there is one; if the rehearsal
  ///   itself failed, `command` is the only other member
  init(_ rehearsal: Rehearsal, of database: String, _ error: ErrorReport?) {
    var members: [(name: String, value: JSON)] = [
      ("command", .string("rehearse")),
      ("database", .string(database)),
      ("start", JSON(rehearsal.start)),
      ("target", JSON(rehearsal.target)),
      ("copy", rehearsal.copy.map { JSON($0) } ?? .null),
      ("scripts", .array(rehearsal.steps.map { JSON($0) })),
      ("tables", .array(rehearsal.tables.map { JSON($0) })),
      ("gone", .array(rehearsal.gone.map { .string($0) })),
      ("room", .array(rehearsal.room.map { JSON($0) })),
    ]
    if let error { members.append(("error", JSON(error))) }
    self = .object(members)
  }

  private init(_ copy: Rehearsal.Copy) {
    self = .object([
      ("bytes", .number(copy.size)), ("seconds", .seconds(copy.duration)),
    ])
  }

  private init(_ step: Rehearsal.Step) {
    self = .object([
      ("version", JSON(step.version)), ("name", .string(step.name)),
      ("seconds", .seconds(step.duration)), ("before", .number(step.sizeBefore)),
      ("after", .number(step.sizeAfter)),
    ])
  }

  private init(_ table: Rehearsal.Table) {
    self = .object([
      ("name", .string(table.name)), ("before", table.rowsBefore.map { .number($0) } ?? .null),
      ("after", table.rowsAfter.map { .number($0) } ?? .null),
    ])
  }

  private init(_ room: Rehearsal.Room) {
    self = .object([
      ("path", .string(room.directory)), ("needed", .number(room.needed)),
      ("free", room.free.map { .number($0) } ?? .null),
    ])
  }
}
