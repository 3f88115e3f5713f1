import Foundation

/// The plot of cost against size: one panel for each series, both axes logarithmic.
///
/// Lines that grow at the same rate are parallel.
struct Plot {
  private let series: [Series]

  private static let panel = (width: 300.0, height: 220.0)
  private static let margin = (left: 52.0, top: 34.0, right: 24.0, bottom: 34.0)

  init(_ series: [Series]) {
    self.series = series.filter { !$0.points.isEmpty }
  }

  var svg: String {
    let rows = (series.count + 1) / 2
    let width = 2 * Self.panel.width
    let height = Double(rows) * Self.panel.height + 24
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" \
      font-family="sans-serif" font-size="10" role="img" \
      aria-label="Time of an upgrade against its size, Uplift beside the floor">
      """,
      #"<rect width="100%" height="100%" fill="white"/>"#,
    ]
    for (index, series) in series.enumerated() {
      let x = Double(index % 2) * Self.panel.width
      let y = Double(index / 2) * Self.panel.height
      lines.append(#"<g transform="translate(\#(Int(x)) \#(Int(y)))">"#)
      lines += panel(series)
      lines.append("</g>")
    }
    let y = Int(height) - 10
    lines.append(legend("floor", colour: Self.floor, x: 52, y: y))
    lines.append(legend("Uplift", colour: Self.uplift, x: 130, y: y))
    return (lines + ["</svg>", ""]).joined(separator: "\n")
  }

  private static let floor = "gray"
  private static let uplift = "orangered"

  private func legend(_ name: String, colour: String, x: Int, y: Int) -> String {
    #"<circle cx="\#(x)" cy="\#(y - 3)" r="3" fill="\#(colour)"/>"#
      + #"<text x="\#(x + 8)" y="\#(y)">\#(name)</text>"#
  }

  /// A range of powers of ten, and the position of a value in it.
  private struct Axis {
    let low: Int
    let high: Int

    init(_ values: [Double]) {
      low = Int(log10(values.min() ?? 1).rounded(.down))
      high = max(Int(log10(values.max() ?? 1).rounded(.up)), low + 1)
    }

    func share(_ value: Double) -> Double { (log10(value) - Double(low)) / Double(high - low) }
  }

  private func panel(_ series: Series) -> [String] {
    let across = Axis(series.points.map(\.size))
    let up = Axis(series.points.flatMap { [$0.floor, $0.uplift] })
    let inner = (
      width: Self.panel.width - Self.margin.left - Self.margin.right,
      height: Self.panel.height - Self.margin.top - Self.margin.bottom
    )
    func x(_ size: Double) -> Double { Self.margin.left + across.share(size) * inner.width }
    func y(_ time: Double) -> Double {
      Self.margin.top + (1 - up.share(time)) * inner.height
    }
    var lines = [
      #"<text x="\#(Self.margin.left)" y="20" font-weight="bold">"#
        + "\(series.label)</text>"
    ]
    for power in up.low...up.high {
      let at = text(y(pow(10, Double(power))))
      let end = text(Self.panel.width - Self.margin.right)
      lines.append(
        #"<path d="M\#(text(Self.margin.left)) \#(at)H\#(end)" stroke="gainsboro"/>"#
          + #"<text x="\#(text(Self.margin.left - 5))" y="\#(at)" dy="3" text-anchor="end">"#
          + "\(time(power))</text>")
    }
    for power in across.low...across.high {
      let at = text(x(pow(10, Double(power))))
      lines.append(
        #"<text x="\#(at)" y="\#(text(Self.panel.height - Self.margin.bottom + 14))" "#
          + #"text-anchor="middle">"#
          + "\(power < 0 ? text(pow(10, Double(power))) : thousands(power))</text>")
    }
    for (colour, value) in [
      (Self.floor, \Series.Point.floor), (Self.uplift, \Series.Point.uplift),
    ] {
      let places = series.points.map { (text(x($0.size)), text(y($0[keyPath: value]))) }
      let path = places.map { "\($0.0) \($0.1)" }.joined(separator: "L")
      lines.append(#"<path d="M\#(path)" fill="none" stroke="\#(colour)" stroke-width="1.5"/>"#)
      lines += places.map { #"<circle cx="\#($0.0)" cy="\#($0.1)" r="2.5" fill="\#(colour)"/>"# }
    }
    return lines
  }

  private func text(_ number: Double) -> String { String(format: "%.1f", number) }

  private func thousands(_ power: Int) -> String {
    let digits = "1" + String(repeating: "0", count: power)
    return power < 4 ? digits : digits.dropLast(3) + " 000"
  }

  private func time(_ power: Int) -> String {
    switch power {
    case ..<(-3): "\(thousands(power + 6)) µs"
    case ..<0: "\(thousands(power + 3)) ms"
    default: "\(thousands(power)) s"
    }
  }
}
