internal import Uplift

extension Fact {
  var kind: Finding.Kind {
    switch self {
    case .stopped(_, _, let isRefusal): isRefusal ? .refused : .scriptFails
    case .schemaDiffers: .schemaDiffers
    case .danglingReference: .danglingReference
    case .seedNumber, .secondSeedScript, .notInSeed: .seedNumber
    case .lockFile: .lockFile
    case .edited: .scriptEdited
    case .renumbered, .gone, .contentGone: .scriptGone
    case .inserted: .scriptInserted
    case .failsOnRows: .failsOnRows
    case .lost, .lostOption: .objectLost
    case .columnsLost: .columnLost
    case .brokenView, .brokenTrigger: .objectBroken
    case .rowsLost, .madeUpRowsGone, .someMadeUpRowsGone: .rowsLost
    case .userRow: .userRow
    case .rowRepeated: .rowRepeated
    case .rowMissed: .rowMissed
    case .notTried, .notRun, .noFixture: .notTried
    case .contentChanged: .contentChanged
    case .acceptsNothing: .acceptsNothing
    }
  }

  /// True if it still matters after the release of its script, which cannot be changed any more.
  var concernsReleased: Bool {
    switch kind {
    case .scriptFails, .refused, .schemaDiffers, .danglingReference, .seedNumber, .lockFile,
      .scriptEdited, .scriptGone, .scriptInserted, .acceptsNothing:
      true
    default: false
    }
  }

  /// True if an author may mean it: a script that fails, or that was edited after its release, is
  /// mended.
  var isAcceptable: Bool {
    !concernsReleased || kind == .schemaDiffers || kind == .danglingReference
  }

  /// One clause: what was observed.
  var words: String {
    switch self {
    case .stopped(let words, _, _): words
    case .schemaDiffers(let difference, let reference, start: _):
      difference.words(reference: reference)
    case .danglingReference(let table, let columns, let parent, let fault):
      "\(table) (\(list(columns))) refers to \(parent)\(fault.words)"
    case .seedNumber(let number, let seed?, released: _):
      "the script reads the seed and has the number \(number), and the seed is at \(seed)"
    case .seedNumber(_, nil, released: _): "the script reads the seed, and there is no seed"
    case .secondSeedScript(let first): "the script reads the seed, and so does \(first)"
    case .notInSeed(let seed):
      "the seed is at \(seed) and has not run this script"
    case .lockFile(let words, remedy: _): words
    case .edited: "the script is not the one that was released"
    case .renumbered(let name): "the released script is now \(name)"
    case .gone(let version, isNewest: _):
      "the released script is not there, so no database below \(version) would get its changes"
    case .contentGone(let version, isNewest: _):
      "the released script that reads the seed is not there, so no database below \(version) would get "
        + "its rows"
    case .inserted(let newest, isContent: _):
      "the script is not above \(newest), which is released, so a database at that version never runs it"
    case .failsOnRows(let rows, let words):
      rows.isEmpty
        ? "fails on rows that were made up: \(words)"
        : "fails if there is \(rows.joined(separator: " and ")): \(words)"
    case .lost(let object, let table): "\(table) loses \(object.shown)"
    case .lostOption(let option, let table): "\(table) loses \(option)"
    case .brokenView(let name, let words): "the view \(name) cannot be read: \(words)"
    case .brokenTrigger(let table, let words):
      "the rows of \(table) cannot be changed, because of a trigger: \(words)"
    case .madeUpRowsGone(let table):
      "all rows that were made up for \(table) are lost in its rebuild"
    case .someMadeUpRowsGone(let table, let before, let after, let rows):
      "\(before - after) of \(before) rows that were made up for \(table) are lost in its rebuild"
        + (rows.isEmpty ? "" : ": \(rows.joined(separator: " and "))")
    case .rowsLost(let table, let before, let after):
      "\(before - after) of \(before) rows of \(table) are lost in its rebuild"
    case .columnsLost(let table, let columns):
      "\(table) loses the \(columns.count == 1 ? "column" : "columns") \(list(columns)) in its rebuild"
    case .userRow(let table, let row, let count, let isAll, let fate):
      "\(table) is refreshed from the seed, and "
        + (count == 1
          ? "a user's row in it is" : "\(isAll ? "" : "at least ")\(count) users' rows in it are")
        + " \(fate.rawValue): \(row)"
    case .rowRepeated(let table, let count):
      (count == 1 ? "a row of the seed is" : "\(count) rows of the seed are")
        + " inserted into \(table) again, because NULL in a primary key conflicts with nothing"
    case .rowMissed(let table, let row, let count):
      "after the script, "
        + (count == 1 ? "a row of \(table) differs" : "\(count) rows of \(table) differ")
        + " from the seed or \(count == 1 ? "is" : "are") missing: \(row)"
    case .contentChanged(let table, let old, let version?, _):
      "\(table) has other rows in the seed than in \(old), and both are at \(version): a database at "
        + "\(version) never gets the new rows"
    case .contentChanged(let table, let old, nil, _):
      "\(table) has other rows in the seed than in \(old) after its upgrade: no script brings the new rows"
    case .notTried(let table, let words):
      "no row could be made up for \(table), so no script was tried on its rows: \(words)"
    case .notRun(let version, let others):
      "no starting point with rows is below \(version), so the script "
        + (others == 0 ? "was not tried" : "and \(others) before it were not tried")
    case .noFixture: "there is no database in it, so no upgrade was tried from it"
    case .acceptsNothing(let kind):
      Finding.Kind(rawValue: kind) == nil
        ? "no kind of findings is called \(kind)"
        : "the script accepts \(kind), and nothing is found"
    }
  }

  /// One line that says what to do.
  var remedy: String {
    switch self {
    case .stopped(_, let remedy, _): remedy
    case .schemaDiffers(_, _, start: .empty):
      "if a released script was edited, restore it; otherwise write a script that makes the two schemas "
        + "equal; or, if no seed was ever released, make the seed from the scripts alone, without rows that "
        + "no script makes: uplift bake --empty"
    case .schemaDiffers:
      "write a script that makes the two schemas equal; if somebody has changed one of the databases "
        + "by hand, undo that change first"
    case .danglingReference(_, _, _, .noTable):
      "make the table, or rebuild this one without the reference"
    case .danglingReference: "make a unique index on these columns, or refer to the primary key"
    case .seedNumber(_, nil, released: _): "name the seed with --seed"
    case .seedNumber(_, _, let released?):
      "a seed with the content of \(released) was released, and this one is older: take the released "
        + "one, repeat the changes of rows that it lacks, then run uplift bake --content"
    case .seedNumber: "run uplift bake --content, which gives both the same number"
    case .secondSeedScript: "put both into one script, with the number of the seed"
    case .notInSeed: UpgradeError.remedyForStepNotInSeed
    case .lockFile(words: _, let remedy): remedy
    case .edited:
      "restore the released text, and put the change into a new script; if no database has run the script, delete its line in uplift.lock and all lines after it, then run uplift release"
    case .renumbered: "give it its old name back"
    case .gone(let version, isNewest: true):
      "put it back; or, if no such database exists, delete its line in uplift.lock and write at the "
        + "end of the file: newest \(version.number)"
    case .gone: "put it back, or delete its line in uplift.lock if no such database exists"
    case .contentGone(let version, isNewest: true):
      "put it back; or, if no database needs these rows any more, replace the line by: newest "
        + "\(version.number)"
    case .contentGone: "put it back, or delete the line if no database needs these rows any more"
    case .inserted(_, isContent: true):
      "run uplift bake --content, which gives the seed and the script the next number"
    case .inserted:
      "give the script a number above the released ones; if the seed has run the script, first put "
        + "back the seed from before that"
    case .failsOnRows(_, let words) where words.hasPrefix("Cannot add a NOT NULL column "):
      Hints.notNull
    case .failsOnRows: "change the script so that it works on such rows, if there can be any"
    case .lost(let object, _): "make it again after the rebuild: \(object.shown)"
    case .lostOption(let option, _): "write \(option) into the definition of the new table"
    case .brokenView: "correct or drop the view"
    case .brokenTrigger: "correct or drop the trigger"
    case .rowsLost, .madeUpRowsGone, .someMadeUpRowsGone:
      "copy all rows into the new table; what is meant to go, delete with a statement of its own"
    case .columnsLost:
      "copy them into the new table; what is meant to go, drop with ALTER TABLE … DROP COLUMN first"
    case .userRow: "refresh only the rows of the seed, or keep users' rows in a table of their own"
    case .rowRepeated:
      "give these rows of the seed an identifier, and let the script delete the rows whose key is NULL"
    case .rowMissed:
      "add what the script leaves out, and leave out the columns that triggers keep (see New content); "
        + "nothing to do for a column that belongs to the user"
    case .contentChanged(let table, _, _, let bringer): bringer.remedy(for: table)
    case .notTried: "put a database with such rows among the fixtures"
    case .notRun:
      "put an older seed, or a copy of an older database, into a directory, and name it with --fixtures"
    case .acceptsNothing: "remove the word from the line that begins with -- uplift: accepts"
    case .noFixture:
      "put old seeds or copies of databases there, whose names end in .db, .db3, .sqlite or .sqlite3"
    }
  }

  private func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

extension Fact.Bringer {
  fileprivate func remedy(for table: String) -> String {
    let beginning: String
    switch self {
    case .itsScript:
      return "run uplift bake --content, which gives the seed and the script the next number"
    case .anotherScript:
      beginning = "write the script anew with uplift new --refresh, and name \(table), too"
    case .noScript: beginning = "write a script with uplift new --refresh \(table)"
    case .ownStatements:
      beginning = "write statements for \(table) into the script that reads the seed"
    }
    return beginning + ", then run uplift bake --content; "
      + "nothing to do if only new databases are to have the rows"
  }
}

extension UpgradeError.Orphan.Fault {
  fileprivate var words: String {
    switch self {
    case .noTable: ", which is not there"
    case .noColumns: ", which does not have the columns"
    case .noKey: ", whose columns are not a key"
    @unknown default: ""
    }
  }
}

extension SchemaDifference {
  /// One clause about the first schema, with the second as the reference.
  fileprivate func words(reference: String) -> String {
    if let property {
      return "\(object) differs; here: \(property.first); "
        + "after an upgrade from \(reference): \(property.second)"
    }
    return isInFirst
      ? "\(object) is there, but not after an upgrade from \(reference)"
      : "\(object) is missing, but is there after an upgrade from \(reference)"
  }
}
