import Glibc

/// Ends the process with a message, in an optimized build as well, in which `precondition` has
/// none.
func demand(_ condition: Bool, _ words: @autoclosure () -> String) {
  guard !condition else { return }
  let line = Array("demand: \(words())\n".utf8)
  _ = write(2, line, line.count)
  abort()
}
