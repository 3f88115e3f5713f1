/// A call of a step in Swift: where it is written, and the statement it is about.
struct StepCall {
  let location: SourceLocation
  let statement: String

  init(_ location: SourceLocation, _ statement: String = "") {
    self.location = location
    self.statement = statement
  }
}
