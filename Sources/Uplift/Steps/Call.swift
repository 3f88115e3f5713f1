/// A call of a step in Swift: where it is written, and the statement it is about.
struct Call {
  let place: SourcePlace
  let statement: String

  init(_ place: SourcePlace, _ statement: String = "") {
    self.place = place
    self.statement = statement
  }
}
