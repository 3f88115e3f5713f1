internal import Uplift
internal import UpliftRelease
internal import UpliftSystem

extension Run {
  /// `uplift rehearse`: runs the pending scripts on a copy, and reports their time and room.
  ///
  /// It exits with the code with which `uplift up` would exit: that of a failed script, or 74 if
  /// there is too little room.
  func rehearse() throws(UpgradeError) -> Report {
    let upgrader = try upgrader()
    let files = TemporaryFiles(inside: Path(upgrader.database).parent)
    defer { files.discardLeftovers() }
    let display = ProgressDisplay(of: "the copy", on: console)
    return try upgrader.rehearse(
      in: arguments.copyDirectory, isCancelled: Self.isCancelled, onEvent: { display.show($0) }
    ).report(of: upgrader.database)
  }
}

extension Rehearsal {
  /// The table, and the members of the object that the page *JSON* describes.
  fileprivate func report(of database: String) -> Report {
    let members: JSON = [
      "database": database, "start": start, "target": target,
      "copy": copy.map { ["bytes": $0.size, "seconds": $0.duration] as JSON },
      "scripts": steps.map(\.json),
      "tables": tables.map {
        ["name": $0.name, "before": $0.rowsBefore, "after": $0.rowsAfter] as JSON
      }, "gone": gone,
      "room": room.map {
        ["path": $0.directory, "needed": $0.needed, "free": $0.free] as JSON
      },
    ]
    let errors = error(on: database).map { [ErrorReport($0)] } ?? []
    return Report(lines: lines(on: database), members: members, errors: errors)
  }

  /// The error that an upgrade would end with.
  private func error(on database: String) -> UpgradeError? {
    if let failure { return failure.onCopy(of: database) }
    return room.first { !$0.isEnough }.map { room in
      UpgradeError(
        .disk,
        "\(room.directory.quoted) has \((room.free ?? 0).asBytes) free, "
          + "and an upgrade needs \(room.needed.asBytes)",
        fix: "make room before the upgrade")
    }
  }

  private func lines(on database: String) -> [String] {
    guard let copy else { return ["\(database) is at \(start), nothing is pending"] }
    let end = failure == nil ? "" : ", and a script failed"
    var lines = [
      "\(database) from \(start) to \(target), on a copy\(end)",
      "copied \(copy.size.asBytes) in \(copy.duration.seconds(decimals: 1)) s", "",
    ]
    let all = steps.reduce(Duration.zero) { $0 + $1.duration }
    lines += Self.table(
      [["script", "seconds", "size before", "after"]]
        + steps.map { step in
          [
            step.name, step.duration.seconds(decimals: 3), step.sizeBefore.asBytes,
            step.sizeAfter.asBytes,
          ]
        } + [
          [
            "all", all.seconds(decimals: 3), copy.size.asBytes,
            (steps.last?.sizeAfter ?? copy.size).asBytes,
          ]
        ])
    if !tables.isEmpty {
      let rows = tables.map {
        [$0.name, $0.rowsBefore?.grouped ?? "-", $0.rowsAfter?.grouped ?? "-"]
      }
      lines += [""] + Self.table([["table", "rows before", "after"]] + rows)
    }
    if !gone.isEmpty { lines += ["", "gone: " + gone.joined(separator: ", ")] }
    return lines + [""]
      + room.map { room in
        let free = room.free.map { "\($0.asBytes) free" } ?? "free space not known"
        return "room in \(room.directory): needs \(room.needed.asBytes), \(free)"
      }
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

extension Rehearsal.Step {
  fileprivate var json: JSON {
    let step: JSON = [
      "version": version, "name": name, "seconds": duration, "before": sizeBefore,
      "after": sizeAfter,
    ]
    return step.with("passes", passes)
  }
}

extension Int64 {
  /// The number with a comma between thousands.
  var grouped: String {
    self < 1000 ? "\(self)" : (self / 1000).grouped + "," + "\(self % 1000 + 1000)".dropFirst()
  }
}
