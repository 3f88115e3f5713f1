import Uplift
import Words

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// words-embedded DATA
let database = (CommandLine.arguments.dropFirst().first ?? "data") + "/words.db"

// SwiftPM makes a constant of each file, with _ for what no name may have there: 0002_add_gloss.sql is
// _002_add_gloss_sql.
let upgrader = Upgrader(
  database: database,
  seed: .bytes(PackageResources.words_db),
  migrations: .scripts([
    ("0002_add_gloss.sql", text(PackageResources._002_add_gloss_sql)),
    ("0003_write_glosses.sql", text(PackageResources._003_write_glosses_sql)),
  ]),
  target: target
)
exit(run(upgrader, database: database))

/// The text of a script that is embedded.
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
