#if canImport(Glibc)
  internal import CUpliftSystem
  internal import Glibc
#elseif canImport(Musl)
  internal import CUpliftSystem
  internal import Musl
#else
  internal import Darwin
#endif

/// Work on a thread of its own, while this thread does something else.
///
/// The corresponding C functions are `pthread_create` and `pthread_join`. If the system has no
/// thread left, the work is done by `wait`.
package final class BackgroundWork<Result: Sendable> {
  private let task: Task
  private var thread: pthread_t?

  /// The work and its result.
  ///
  /// The thread writes the result, and it is read after the thread has ended.
  private final class Task: @unchecked Sendable {
    let work: @Sendable () -> Result
    var result: Result?

    init(_ work: @escaping @Sendable () -> Result) {
      self.work = work
    }

    func run() { result = work() }
  }

  package init(_ work: @escaping @Sendable () -> Result) {
    task = Task(work)
    let runner = Runner(task.run)
    let context = Unmanaged.passRetained(runner)
    var made: pthread_t?
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    // Musl and Darwin give a thread much less than the main thread has.
    pthread_attr_setstacksize(&attributes, 8 << 20)
    #if canImport(Darwin)
      let code = pthread_create(&made, &attributes, { Runner.run($0) }, context.toOpaque())
    #else
      var number = pthread_t()
      let code = pthread_create(&number, &attributes, { Runner.run($0) }, context.toOpaque())
      if code == 0 { made = number }
    #endif
    if code != 0 { context.release() }
    thread = made
  }

  /// Waits for the end of the work, and returns its result.
  package func wait() -> Result {
    if let thread { pthread_join(thread, nil) }
    thread = nil
    if let result = task.result { return result }
    return task.work()
  }
}

/// A closure that a C function can be handed.
private final class Runner {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) {
    self.body = body
  }

  /// Runs the closure in `context`, and releases it.
  static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Runner>.fromOpaque(context).takeRetainedValue().body()
    return nil
  }
}
