internal import UpliftRelease

/// `uplift new --import DIR`: takes over the scripts of another tool.
extension NewCommand {
  func importScripts(of source: String) -> ExitCode {
    do throws(ErrorReport) {
      guard let migrations = try Shipment(arguments, programsUpgrader).migrations else {
        throw ErrorReport(CommandLineError.noScripts)
      }
      return importScripts(of: source, into: migrations)
    } catch {
      return fail(error, of: [error])
    }
  }

  private func importScripts(of source: String, into migrations: String) -> ExitCode {
    do {
      let imported = try ScriptImport(of: source, into: migrations).write()
      if arguments.isJSON {
        console.result(JSON(imported).text)
      } else if !arguments.isQuiet {
        for line in imported.lines + [advice(on: migrations)] { console.result(line.printable) }
      }
      return console.finish(with: .success)
    } catch {
      return fail(ErrorReport(error.first), of: error.errors.map { ErrorReport($0) })
    }
  }

  /// Names the command that gives a database its version.
  ///
  /// With `--database`, neither the scripts nor the seed have a default.
  private func advice(on migrations: String) -> String {
    var words = ["uplift adopt --database FILE"]
    if programsUpgrader == nil {
      words += arguments.seed.map { ["--seed", $0.shellWord] } ?? []
      words += ["--migrations", migrations.shellWord]
    }
    return "to take over a database of the other tool, run this once: "
      + words.joined(separator: " ")
  }

  /// Shows all errors, or the first of very many; the exit code is that of the first.
  private func fail(_ first: ErrorReport, of errors: [ErrorReport]) -> ExitCode {
    if arguments.isJSON {
      console.result(
        JSON.object([
          ("command", .string("new")), ("scripts", .array([])), ("passedOver", .array([])),
          ("error", JSON(first)), ("errors", .array(errors.map { JSON($0) })),
        ]).text)
    }
    let limit = 50
    for error in errors.prefix(limit) { console.show(error) }
    if errors.count > limit { console.notice("uplift: \(errors.count - limit) more errors") }
    return console.finish(with: first.exit)
  }
}

extension ImportedScripts {
  fileprivate var lines: [String] {
    scripts.map { "\($0.name)  from \($0.from)" } + passedOver.map { "passed over \($0)" }
  }
}

extension JSON {
  /// The object that `uplift new --import DIR --json` prints.
  ///
  /// - `command`: `"new"`
  /// - `scripts`: each with its `file`, its `number` and the name that it comes `from`
  /// - `passedOver`: the names of the files that were passed over
  /// - `error`, `errors`: on failure only, the first error and all of them; see
  ///   `ErrorReport+JSON.swift`
  fileprivate init(_ imported: ImportedScripts) {
    self = .object([
      ("command", .string("new")),
      (
        "scripts",
        .array(
          imported.scripts.map { script in
            .object([
              ("file", .string(script.path)), ("number", JSON(script.version)),
              ("from", .string(script.from)),
            ])
          })
      ),
      ("passedOver", .array(imported.passedOver.map { .string($0) })),
    ])
  }
}
