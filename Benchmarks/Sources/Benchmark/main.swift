// Benchmark time|count|sizes --programs DIR [--work DIR] [--memory DIR] [--only W1,W3]
//           [--scale full|quick] [--json FILE] [--plot FILE] [--pins FILE] [--write-pins FILE]
//
// Measures Uplift against the floor and asserts nothing about time. Run by Scripts/bench.

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
