import Foundation

/// The cost of a workload for one contender and for the floor, measured in turn.
struct Measurement: Codable {
  let workload: String
  let contender: String
  /// In seconds, the median of the runs.
  let floor: Double
  let time: Double
  /// The median of the ratios of each pair of runs.
  let ratio: Double
  /// The quartiles of those ratios.
  let spread: [Double]
  let floorPeak: Int
  let peak: Int
  let runs: Int
}

func median(_ values: [Double]) -> Double { quantile(values, 0.5) }

func quantile(_ values: [Double], _ share: Double) -> Double {
  guard !values.isEmpty else { return .nan }
  let sorted = values.sorted()
  let position = share * Double(sorted.count - 1)
  let low = Int(position)
  let high = min(low + 1, sorted.count - 1)
  return sorted[low] + (sorted[high] - sorted[low]) * (position - Double(low))
}

/// Runs contenders in turn: the floor, the first, the floor, the second.
struct Meter {
  let programs: Programs
  let fixture: Fixture
  let workload: Workload

  struct Contender {
    let name: String
    let command: [String]
    let floor: [String]
    /// True if the programs measure and print the time of the work themselves.
    var isInProcess = false
    var input: String?
    /// True for a peer that does not set `user_version`.
    var skipsVersion = false
    /// The database to begin with; nil for that of the fixture.
    var before: String?
    /// At most this many runs, because some peers take very long.
    var mostRuns = Int.max
  }

  func measure(_ contenders: [Contender]) throws -> [Measurement] {
    var samples: [String: [(floor: Sample, own: Sample)]] = [:]
    for run in 0..<workload.runs {
      for contender in contenders where run < contender.mostRuns {
        try fixture.reset()
        let floor = try sample(
          contender, contender.floor, input: nil, checksVersion: !fixture.isOfMany)
        try fixture.reset(to: contender.before ?? fixture.before)
        let own = try sample(
          contender, contender.command, input: contender.input,
          checksVersion: !contender.skipsVersion && !fixture.isOfMany)
        samples[contender.name, default: []].append((floor, own))
      }
    }
    return contenders.map { contender in
      let pairs = samples[contender.name] ?? []
      let ratios = pairs.map { $0.own.time / $0.floor.time }
      return Measurement(
        workload: workload.name, contender: contender.name,
        floor: median(pairs.map(\.floor.time)), time: median(pairs.map(\.own.time)),
        ratio: median(ratios), spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
        floorPeak: pairs.map(\.floor.peak).max() ?? 0, peak: pairs.map(\.own.peak).max() ?? 0,
        runs: pairs.count)
    }
  }

  struct Sample {
    let time: Double
    let peak: Int
  }

  private func sample(
    _ contender: Contender, _ command: [String], input: String?, checksVersion: Bool
  ) throws -> Sample {
    let cost = try Run.measure(command, by: programs.launch, input: input)
    if checksVersion {
      let version = try Database.version(fixture.database)
      guard version == fixture.target else {
        throw Failed(description: "\(command.joined(separator: " ")) ended at \(version)")
      }
    }
    guard contender.isInProcess else { return Sample(time: cost.wall, peak: cost.peak) }
    let times = cost.output.split(separator: "\n").compactMap { Double($0) }
    return Sample(time: median(times) / 1e9, peak: cost.peak)
  }

  /// The library in a program, and the command as a process.
  func contenders() -> [Contender] {
    if fixture.isOfMany {
      let target = String(fixture.target)
      return (programs.uplift.map { [$0] } ?? []).flatMap { command -> [Contender] in
        ["1", "2"].map { jobs in
          Contender(
            name: "command, --jobs \(jobs)",
            command: [command] + [
              "up", "--each", fixture.data, "--migrations", fixture.migrations, "--target", target,
              "--jobs", jobs,
            ],
            floor: [programs.each, fixture.data, target])
        }
      }
    }
    if let shell = fixture.shell {
      let target = ["--target", String(fixture.target)]
      return (programs.uplift.map { [$0] } ?? []).map { command in
        Contender(
          name: "command / shell", command: [command] + (fixture.verb ?? fixture.command + target),
          floor: shell.map { word in word == Fixture.commandItself ? command : word },
          skipsVersion: fixture.verb != nil)
      }
    }
    let floor = [programs.floor] + fixture.arguments
    let again = [String(workload.repeats)]
    var all = [
      Contender(
        name: "library", command: [programs.inProcess] + fixture.arguments + again,
        floor: floor + again, isInProcess: true)
    ]
    if let uplift = programs.uplift {
      let target = ["--target", String(fixture.target)]
      all.append(
        Contender(name: "command", command: [uplift] + fixture.command + target, floor: floor))
    } else {
      all.append(
        Contender(
          name: "library, process", command: [programs.inProcess] + fixture.arguments,
          floor: floor))
    }
    if workload.comparesReader {
      let reader = [programs.reader, fixture.database]
      let process = all[1]
      all.append(
        Contender(name: process.name + " / reader", command: process.command, floor: reader))
      if let uplift = programs.uplift {
        all.append(
          Contender(
            name: "command, no --target", command: [uplift] + fixture.command,
            floor: Array(floor.dropLast()) + ["0"]))
      }
    }
    return all
  }
}
