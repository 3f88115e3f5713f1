import Foundation
import Uplift
import Words

// words DATA [RESOURCES]
let arguments = CommandLine.arguments.dropFirst()
let database = (arguments.first ?? "data") + "/words.db"

// A second argument names the resources. Otherwise they are in the directory that SwiftPM puts beside
// the executable, words_Beside.resources.
let resources = arguments.dropFirst().first ?? Bundle.module.bundlePath + "/Resources"

let upgrader = Upgrader(
  database: database,
  seed: .file(resources + "/words.db"),
  migrations: .directory(resources + "/Migrations"),
  target: target
)
exit(run(upgrader, database: database))
