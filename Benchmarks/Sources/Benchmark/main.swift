// Benchmark --programs DIR --work DIR [--memory DIR] [--only W1,W3] [--scale full|quick]
//           [--json FILE] [--plot FILE] [--sizes]
//
// Measures Uplift against the floor, prints one table, and asserts nothing about time.

import Foundation

var options: [String: String] = [:]
var rest = CommandLine.arguments.dropFirst()
while let name = rest.popFirst() {
  guard name.hasPrefix("--"), let value = rest.popFirst() else {
    print("usage: see Scripts/bench")
    exit(64)
  }
  options[String(name.dropFirst(2))] = value
}

let programs = Programs(in: options["programs"] ?? ".build/programs")
let work = options["work"] ?? ".build/work"
let memory = options["memory"] ?? "/dev/shm/uplift-benchmark"
let scale = Scale(rawValue: options["scale"] ?? "full") ?? .full
let only = options["only"].map { Set($0.split(separator: ",").map(String.init)) }

do {
  var measurements: [Measurement] = []
  print(Table.head)
  for workload in Workload.all(scale) where only?.contains(workload.name) ?? true {
    let place = (workload.name == "W3t" ? memory : work) + "/" + workload.name
    let fixture = try workload.make(place)
    defer { fixture.remove() }
    let meter = Meter(programs: programs, fixture: fixture, workload: workload)
    let found = try meter.measure(meter.contenders())
    for measurement in found { print(Table.row(measurement, workload)) }
    // A line as soon as it is known, in a file or a pipe too.
    fflush(nil)
    measurements += found
  }
} catch {
  print("failed: \(error)")
  exit(1)
}
