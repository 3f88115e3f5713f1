// Benchmark time|count|sizes --programs DIR [--work DIR] [--memory DIR] [--only W1,W3]
//           [--scale full|quick] [--json FILE] [--plot FILE] [--pins FILE] [--write-pins FILE]
//
// Compares Uplift with the floor. No time is asserted. Scripts/bench runs it.

import Foundation

do {
  let options = try Options(CommandLine.arguments.dropFirst())
  switch options.verb {
  case "time": try options.time()
  case "count": try options.count()
  case "sizes": try options.sizes()
  default: throw Failed(description: "time, count or sizes, not \(options.verb)")
  }
} catch {
  FileHandle.standardError.write(Data("benchmark: \(error)\n".utf8))
  exit(1)
}
