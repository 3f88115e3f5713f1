import Glibc
import Intercept
import Uplift
import UpliftRelease

// Boots the library as a service would, for tests that need another process: to race it against
// others, to kill it, or to have Intercept change its calls.

let arguments = Arguments(CommandLine.arguments.dropFirst())
arguments.become()
arguments.waitForTheOthers()

if let scriptImport = arguments.scriptImport {
  do {
    print(try scriptImport.write().scripts.count)
    exit(0)
  } catch {
    print(error.errors[0].description)
    exit(error.errors[0].exitCode)
  }
}

do {
  let upgrade = try arguments.upgrader.upgrade { event in
    if case .committed(let last) = event { intercept_note("committed \(last)") }
  }
  print(upgrade.start, "->", upgrade.end)
  for step in upgrade.applied { print("applied", step.version, step.name) }
} catch {
  print(error.kind)
  print(error.description)
  exit(1)
}
