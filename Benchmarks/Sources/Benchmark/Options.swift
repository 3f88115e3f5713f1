import Foundation

/// The command line of the benchmark, and its three kinds of measurement.
struct Options {
  let verb: String
  private let values: [String: String]

  init(_ arguments: some Sequence<String>) throws {
    var rest = arguments.makeIterator()
    verb = rest.next() ?? ""
    var values: [String: String] = [:]
    while let name = rest.next() {
      guard name.hasPrefix("--"), let value = rest.next() else {
        throw Failed(description: "\(name) wants a value")
      }
      values[String(name.dropFirst(2))] = value
    }
    self.values = values
  }

  var programs: Programs { Programs(in: values["programs"] ?? ".build/programs") }
  /// The directory for workloads on a disk.
  var work: String { values["work"] ?? ".build/work" }
  /// The directory for workloads in memory.
  var memory: String { values["memory"] ?? "/dev/shm/uplift-benchmark" }
  var scale: Scale { values["scale"].flatMap(Scale.init) ?? .full }
  var plot: String? { values["plot"] }

  func wants(_ workload: String) -> Bool {
    values["only"].map { $0.split(separator: ",").map(String.init).contains(workload) } ?? true
  }

  /// Times all workloads, and prints each line of the table as soon as it is measured.
  func time() throws {
    var measurements: [Measurement] = []
    let peers = Peers()
    for words in peers.absent { Table.say("peer skipped: \(words)") }
    Table.say(Table.head)
    for workload in Workload.all(scale) where wants(workload.name) {
      let fixture = try workload.make((workload.isInMemory ? memory : work) + "/" + workload.name)
      defer { fixture.remove() }
      Table.say("\(workload.name)  \(workload.title); to reach: \(workload.reach)")
      let meter = Meter(programs: programs, fixture: fixture, workload: workload)
      let found = try meter.measure(meter.contenders() + peers.contenders(workload, meter))
      for measurement in found { Table.say(Table.row(measurement)) }
      measurements += found
    }
    try write(measurements)
  }

  /// Counts calls, syncs and instructions, and fails if one is above its pin.
  func count() throws {
    guard let counter = Counter(programs) else {
      return Table.say("counts: skipped, strace is not installed")
    }
    if counter.valgrind == nil { Table.say("instructions: skipped, valgrind is not installed") }
    var all: [Counts] = []
    Table.say(Table.countHead)
    for workload in Workload.all(.counts)
    where wants(workload.name) && !workload.isInMemory && !workload.isAgainstShell {
      let counts = try counter.count(workload, in: work + "/count-" + workload.name)
      Table.say(Table.row(counts))
      all.append(counts)
    }
    try write(all)
    if let file = values["write-pins"] {
      let text = ([Pins.head] + all.map(Pins.line)).joined(separator: "\n") + "\n"
      try text.write(toFile: file, atomically: true, encoding: .utf8)
    }
    if let file = values["pins"] {
      let pins = try Pins(reading: String(contentsOfFile: file, encoding: .utf8))
      let complaints = all.flatMap(pins.complaints)
      guard complaints.isEmpty else {
        throw Failed(description: complaints.joined(separator: "\nbenchmark: "))
      }
    }
  }

  func write(_ value: some Encodable) throws {
    guard let file = values["json"] else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(value).write(to: URL(fileURLWithPath: file))
  }
}
