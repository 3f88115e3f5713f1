import Glibc

/// Ends the process with words, in an optimized build too, where `precondition` has none.
func demand(_ condition: Bool, _ words: @autoclosure () -> String) {
  guard !condition else { return }
  let line = Array("demand: \(words())\n".utf8)
  _ = write(2, line, line.count)
  abort()
}
