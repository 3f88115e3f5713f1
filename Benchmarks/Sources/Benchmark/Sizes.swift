import Foundation

/// W8: the cost of an upgrade while one size grows and the others stay the same.
struct Series: Codable {
  let title: String
  /// Empty if the size is a count.
  let unit: String
  var points: [Point] = []

  var label: String { unit.isEmpty ? title : "\(title), in \(unit)" }

  struct Point: Codable {
    let size: Double
    let floor: Double
    let uplift: Double
  }

  /// The exponent with which the cost grows between the last two points; 1 is linear.
  var growth: Double? {
    guard let last = points.last, let before = points.dropLast().last else { return nil }
    return log(last.uplift / before.uplift) / log(last.size / before.size)
  }
}

extension Options {
  func sizes() throws {
    let isQuick = scale != .full
    func sizes(_ all: [Int], quick: Int) -> [Int] { isQuick ? Array(all.prefix(quick)) : all }
    let all = [
      // Only 25 tables, because SQLite reads the whole schema again at each ALTER TABLE: its own cost
      // would grow as the square of the number of tables.
      try series("pending scripts", "", sizes([1, 10, 100, 1000, 10000], quick: 3)) {
        try Workload.smallScripts($0, count: $1, tables: 25)
      },
      try series("size of the seed", "MB", sizes([1, 4, 16, 64, 256, 1024, 4096], quick: 3)) {
        try Workload.firstBoot($0, megabytes: $1)
      },
      try series(
        "size of the script", "KB", sizes([1, 10, 100, 1000, 10000, 100_000], quick: 4)
      ) { try Workload.longScript($0, lines: $1 * 10) },
      try series(
        "database around a small table", "MB", sizes([1, 10, 100, 1000], quick: 2)
      ) {
        try Workload.smallTable($0, megabytes: $1, isParent: false)
      },
    ]
    try write(all)
    guard let plot else { return }
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: plot).deletingLastPathComponent(),
      withIntermediateDirectories: true)
    try Plot(all).svg.write(toFile: plot, atomically: true, encoding: .utf8)
  }

  private func series(
    _ title: String, _ unit: String, _ sizes: [Int], make: (String, Int) throws -> Fixture
  ) throws -> Series {
    var series = Series(title: title, unit: unit)
    Table.say("W8  \(series.label)")
    for size in sizes {
      let fixture = try make(work + "/W8", size)
      defer { fixture.remove() }
      let meter = Meter(
        programs: programs, fixture: fixture,
        workload: Workload(
          name: "W8", title: title, reach: "linear", runs: 3,
          make: { _ in fixture }))
      guard let process = meter.contenders().last,
        let found = try meter.measure([process]).first
      else { continue }
      series.points.append(
        .init(size: Double(size), floor: found.floor, uplift: found.time))
      let growth = series.growth.map { String(format: "grows as its %.2fth power", $0) } ?? ""
      Table.say(Table.row(found, label: String(size)) + "  " + growth)
    }
    return series
  }
}
