// A program that makes one call of the library. It takes the same arguments as the floor:
//
//   InProcess DATABASE SEED|- DIRECTORY TARGET [REPEAT]
//
// TARGET 0 stands for the newest script. With REPEAT it repeats the work, and prints the nanoseconds
// of each time. The environment's BENCHMARK_COMMIT_INTERVAL is how many seconds scripts may share a
// commit.

import Uplift

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

let arguments = CommandLine.arguments
guard arguments.count >= 5, let number = Int32(arguments[4]) else {
  print("usage: InProcess DATABASE SEED|- DIRECTORY TARGET [REPEAT]")
  exit(64)
}
var options = Upgrader.Options()
if let interval = getenv("BENCHMARK_COMMIT_INTERVAL").flatMap({ Int(String(cString: $0)) }) {
  options.commitInterval = .seconds(interval)
}
let upgrader = Upgrader(
  database: arguments[1],
  seed: arguments[2] == "-" ? nil : .file(arguments[2]),
  migrations: .directory(arguments[3]),
  target: number == 0 ? nil : Version(number),
  options: options
)

func upgrade() {
  do {
    _ = try upgrader.upgrade()
  } catch {
    print("failed: \(error)")
    exit(1)
  }
}

if arguments.count == 5 {
  upgrade()
} else {
  for _ in 0..<(Int(arguments[5]) ?? 1) {
    _ = getppid()
    let begun = ContinuousClock.now
    upgrade()
    let duration = (ContinuousClock.now - begun).components
    _ = getppid()
    print(duration.seconds * 1_000_000_000 + duration.attoseconds / 1_000_000_000)
  }
}
