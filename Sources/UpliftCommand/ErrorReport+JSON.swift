internal import Uplift

extension JSON {
  /// The member `error` of `--json`.
  ///
  /// - `kind`, `message`, `remedy`, `exit`: always
  /// - `file`, `line`, `column`: if a script is at fault; line and column are null if the script
  ///   failed as a whole
  /// - `text`, `caret`: the line of the script and the character at fault, if they are known
  /// - `code`, `name`: SQLite's, if SQLite refused a statement
  /// - `reached`: the version of the database now, if it is known
  package init(_ report: ErrorReport) {
    var members: [(name: String, value: JSON)] = [
      ("kind", .string(report.kind)),
      ("message", .string(report.message)),
      ("remedy", .string(report.remedy)),
      ("exit", .number(Int64(report.exit.rawValue))),
    ]
    if let location = report.location {
      members += [
        ("file", .string(location.file)),
        ("line", JSON(location.line)),
        ("column", JSON(location.column)),
      ]
      if let excerpt = location.excerpt {
        members += [("text", .string(excerpt.text)), ("caret", JSON(excerpt.caret))]
      }
      if let code = report.code {
        members += [("code", .number(Int64(code.number))), ("name", .string(code.name))]
      }
    }
    if let reached = report.reached { members.append(("reached", JSON(reached))) }
    self = .object(members)
  }
}
