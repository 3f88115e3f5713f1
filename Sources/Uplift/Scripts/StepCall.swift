/// A call that a step in Swift makes: its location in the source, and its statement.
struct StepCall {
  let location: SourceLocation
  let statement: String

  init(_ location: SourceLocation, _ statement: String = "") {
    self.location = location
    self.statement = statement
  }
}
