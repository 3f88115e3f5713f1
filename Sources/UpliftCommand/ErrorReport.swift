package import Uplift
package import UpliftSystem

/// An error as the command reports it: as lines for people, as JSON for programs.
package struct ErrorReport: Error, Sendable {
  /// A name for programs, the same from release to release.
  package let kind: String
  /// One clause, which begins with the place if there is one.
  package var message: String
  /// One line that says what to do.
  package let remedy: String
  package let exit: ExitCode
  /// The error of the library; nil if it is the command's own.
  private let cause: UpgradeError?

  package var place: UpgradeError.Place? { cause?.place }
  package var reached: Version? { cause?.reached }

  package init(kind: String, message: String, remedy: String, exit: ExitCode) {
    self.kind = kind
    self.message = message
    self.remedy = remedy
    self.exit = exit
    cause = nil
  }

  /// An error in the command line.
  static func usage(_ message: String, fix remedy: String) -> ErrorReport {
    ErrorReport(kind: "commandLine", message: message, remedy: remedy, exit: .usage)
  }

  package init(_ error: UpgradeError, signal: StopSignal? = StopSignals.first) {
    kind = error.kind.rawValue
    message = error.description
    remedy = error.remedy
    exit = ExitCode(error, signal: signal)
    cause = error
  }

  /// The error as people read it: one line of words, the line of the script with a caret if there
  /// is one, and one line that says what to do.
  package func text(isColoured: Bool) -> String {
    let bold = isColoured ? "\u{1b}[1m" : ""
    let red = isColoured ? "\u{1b}[1;31m" : ""
    let plain = isColoured ? "\u{1b}[0m" : ""
    var lines = ["\(red)uplift:\(plain) \(bold)\(message.printable)\(plain)"]
    if let line = place?.excerpt {
      lines += ["  " + line.text.printable, "  " + line.padding + red + "^" + plain]
    }
    lines.append(remedy.printable)
    return lines.joined(separator: "\n")
  }
}

extension ErrorReport: JSONValue {
  /// The member `error` of `--json`.
  package var json: JSON {
    [
      "kind": kind, "exit": exit.rawValue, "message": message, "remedy": remedy,
      "file": place?.file, "line": place?.line, "column": place?.column,
      "text": place?.excerpt?.text, "caret": place?.excerpt?.caret,
      "sqlite": cause?.sqlite.map { ["code": $0.number, "name": $0.name] as JSON },
      "reached": reached,
      "orphans": cause?.orphans.map { ["count": $0.count, "rows": $0.rows.map(\.json)] as JSON },
    ]
  }
}

extension UpgradeError.Orphan {
  fileprivate var json: JSON {
    ["table": table, "row": row, "columns": columns, "parent": parent]
  }
}
