import Foundation

/// The table on standard output: one line for each contender of each workload.
enum Table {
  static let head =
    "workload  contender                    floor      uplift   ratio  (quartiles)   peak MB    reach"

  static func row(_ measurement: Measurement, _ workload: Workload) -> String {
    let start =
      measurement.workload.padding(toLength: 10, withPad: " ", startingAt: 0)
      + measurement.contender.padding(toLength: 24, withPad: " ", startingAt: 0)
    return start
      + String(
        format: "%10@  %10@  %6.2f  (%.2f, %.2f)  %.1f / %.1f  %@",
        time(measurement.floor) as NSString, time(measurement.time) as NSString,
        measurement.ratio, measurement.spread[0], measurement.spread[1],
        Double(measurement.floorPeak) / 1e6, Double(measurement.peak) / 1e6,
        workload.reach as NSString)
  }

  static func time(_ seconds: Double) -> String {
    switch seconds {
    case ..<1e-3: String(format: "%.1f µs", seconds * 1e6)
    case ..<1: String(format: "%.2f ms", seconds * 1e3)
    default: String(format: "%.2f s", seconds)
    }
  }
}
