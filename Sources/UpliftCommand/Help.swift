/// What `uplift help` says; it fits a screen of 80 columns and 24 lines.
package enum Help {
  package static let text = """
    uplift brings a SQLite database to the version that a program ships.

      uplift [up]              make the database if need be, run the pending scripts
      uplift status            say what is there and what is pending, change nothing
      uplift help | --version

      --resources DIR          holds one seed (.db) and Migrations/ [Resources]
      --data DIR               where the database lives, named as the seed [data]
      --database FILE          each on its own; where one of the three is named,
      --seed FILE              Resources and data are not looked for unless they
      --migrations DIR         are named too
      --target VERSION         3, or 1.4.2-1 [the newest script]
      --wait SECONDS           how long to wait for others, in all [60]
      --if-missing CHOICE      without a database: seed, empty or fail [seed]
      --json                   print one JSON object
      --quiet                  print errors only
      --progress CHOICE        auto, always or never [auto: on a terminal]
      --exit-code              status: exit 10 when something is pending

    The scripts are numbered, as in Migrations/0002_add_visits.sql; the database's
    PRAGMA user_version is the number of the last one that it has been through.
    """
}
