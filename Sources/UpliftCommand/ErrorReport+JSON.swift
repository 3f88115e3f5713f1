internal import Uplift

extension JSON {
  /// The member `error` of `--json`; a member that is not known is null.
  ///
  /// - `kind`, `exit`, `message`, `remedy`
  /// - `file`, `line`, `column`: the script at fault, and the place in it
  /// - `text`, `caret`: the line of the script, and the character at fault
  /// - `sqlite`: the `code` and its `name`, if SQLite refused a statement
  /// - `reached`: the version of the database now
  /// - `orphans`: their `count`, and the first `rows`, each with `table`, `row`, `columns` and `parent`
  package init(_ report: ErrorReport) {
    let place = report.location
    self = .object([
      ("kind", .string(report.kind)),
      ("exit", .number(Int64(report.exit.rawValue))),
      ("message", .string(report.message)),
      ("remedy", .string(report.remedy)),
      ("file", JSON(place?.file)),
      ("line", JSON(place?.line)),
      ("column", JSON(place?.column)),
      ("text", JSON(place?.excerpt?.text)),
      ("caret", JSON(place?.excerpt?.caret)),
      (
        "sqlite",
        report.code.map {
          .object([("code", .number(Int64($0.number))), ("name", .string($0.name))])
        } ?? .null
      ),
      ("reached", JSON(report.reached)),
      ("orphans", report.orphans.map { JSON($0) } ?? .null),
    ])
  }

  private init(_ orphans: UpgradeError.Orphans) {
    self = .object([
      ("count", .number(Int64(orphans.count))),
      (
        "rows",
        .array(
          orphans.rows.map { orphan in
            .object([
              ("table", .string(orphan.table)),
              ("row", orphan.row.map { .number($0) } ?? .null),
              ("columns", .array(orphan.columns.map { .string($0) })),
              ("parent", .string(orphan.parent)),
            ])
          })
      ),
    ])
  }
}
