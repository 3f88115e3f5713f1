import Foundation

/// Prints the tables: one line for each contender of each workload.
enum Table {
  /// Prints a line at once, even to a file or a pipe.
  static func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  static let head = line(
    "", "contender", "floor", "uplift", "ratio", "quartiles", "peak MB: floor", "uplift")

  static func row(_ found: Measurement, label: String = "") -> String {
    line(
      label, found.contender, time(found.floor), time(found.time),
      String(format: "%.2f", found.ratio),
      String(format: "%.2f %.2f", found.spread[0], found.spread[1]),
      megabytes(found.floorPeak), megabytes(found.peak))
  }

  static let countHead = line(
    "", "contender", "calls: floor", "uplift", "syncs", "uplift", "instructions", "ratio")

  static func row(_ counts: Counts) -> String {
    let floor = counts.floor.instructions.map { Double($0) } ?? .nan
    let own = counts.own.instructions.map { Double($0) } ?? .nan
    return line(
      counts.workload, counts.contender, String(counts.floor.calls), String(counts.own.calls),
      String(counts.floor.syncs), String(counts.own.syncs), String(format: "%.2f M", own / 1e6),
      String(format: "%.2f", own / floor))
  }

  static func time(_ seconds: Double) -> String {
    switch seconds {
    case ..<1e-3: String(format: "%.1f us", seconds * 1e6)
    case ..<1: String(format: "%.2f ms", seconds * 1e3)
    default: String(format: "%.2f s", seconds)
    }
  }

  static func megabytes(_ bytes: Int) -> String { String(format: "%.1f", Double(bytes) / 1e6) }

  private static func line(_ cells: String...) -> String {
    zip(cells, [-5, -22, 13, 11, 7, 11, 15, 8]).map { cell, width in
      let blanks = String(repeating: " ", count: max(abs(width) - cell.count, 1))
      return width < 0 ? cell + blanks : blanks + cell
    }.joined()
  }
}
