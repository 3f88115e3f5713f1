internal import Uplift
internal import UpliftRelease

/// The report of a rehearsal as lines for people.
struct RehearsalTable {
  let lines: [String]

  init(_ rehearsal: Rehearsal, of database: String) {
    guard let copy = rehearsal.copy else {
      lines = ["\(database) is at \(rehearsal.start), nothing is pending"]
      return
    }
    let end = rehearsal.failure == nil ? "" : ", and a script failed"
    var lines = [
      "\(database) from \(rehearsal.start) to \(rehearsal.target), on a copy\(end)",
      "copied \(copy.size.asBytes) in \(copy.duration.seconds(decimals: 1)) s", "",
    ]
    lines += Self.table(
      [["script", "seconds", "size before", "after"]]
        + rehearsal.steps.map { step in
          [
            step.name, step.duration.seconds(decimals: 3), step.sizeBefore.asBytes,
            step.sizeAfter.asBytes,
          ]
        } + [Self.total(rehearsal.steps, copy.size)])
    if !rehearsal.tables.isEmpty {
      lines += [""]
      lines += Self.table(
        [["table", "rows before", "after"]]
          + rehearsal.tables.map { table in
            [table.name, table.rowsBefore?.grouped ?? "-", table.rowsAfter?.grouped ?? "-"]
          })
    }
    if !rehearsal.gone.isEmpty { lines += ["", "gone: " + rehearsal.gone.joined(separator: ", ")] }
    lines += [""]
    lines += rehearsal.room.map { room in
      let free = room.free.map { "\($0.asBytes) free" } ?? "free space not known"
      return "room in \(room.directory): needs \(room.needed.asBytes), \(free)"
    }
    self.lines = lines
  }

  private static func total(_ steps: [Rehearsal.Step], _ size: Int64) -> [String] {
    [
      "all", steps.reduce(Duration.zero) { $0 + $1.duration }.seconds(decimals: 3),
      size.asBytes, (steps.last?.sizeAfter ?? size).asBytes,
    ]
  }

  /// Rows with the first column to the left, the others to the right.
  private static func table(_ rows: [[String]]) -> [String] {
    let widths = (rows.first ?? []).indices.map { column in
      rows.map { $0[column].count }.max() ?? 0
    }
    return rows.map { row in
      row.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        return column == 0 ? row[column] + space : space + row[column]
      }.joined(separator: "  ")
    }
  }
}

extension Int64 {
  /// The number with a comma between thousands.
  var grouped: String {
    var digits = Array(String(magnitude))
    var index = digits.count - 3
    while index > 0 {
      digits.insert(",", at: index)
      index -= 3
    }
    return (self < 0 ? "-" : "") + String(digits)
  }
}
