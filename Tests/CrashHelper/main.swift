import Child
import Glibc
import Intercept

// Boots the library once for each line of its input, each time in a copy of itself, and reports the
// result. It runs thousands of boots a minute, and any may be killed.

while let line = readLine() {
  let order = Order(line)
  let children = (0..<order.count).map { index in
    let child = child_fork()
    if child == 0 { onNewThread { order.run(as: index) } }
    return child
  }
  var now = 0
  for kill in order.kills {
    usleep(UInt32(kill.microseconds - now))
    now = kill.microseconds
    _ = Glibc.kill(children[kill.child], SIGKILL)
  }
  for (index, child) in children.enumerated() {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7f
    say("\(index)\texit\t\(signal == 0 ? status >> 8 & 0xff : -signal)")
  }
  say("end")
}

/// Work for another thread.
final class Work {
  let body: () -> Never

  init(_ body: @escaping () -> Never) {
    self.body = body
  }
}

/// Runs the rest of a forked process on a thread of its own.
///
/// Swift's runtime keeps the number of each thread for its locks. In the first thread of a forked
/// process that is the number of the parent's thread, so the lock never ends if a second thread
/// wants it, too.
func onNewThread(_ body: @escaping () -> Never) -> Never {
  let work = Unmanaged.passRetained(Work(body))
  var thread = pthread_t()
  let code = pthread_create(
    &thread, nil,
    { context in
      guard let context else { return nil }
      Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
    }, work.toOpaque())
  if code == 0 { pthread_join(thread, nil) }
  _exit(70)
}
