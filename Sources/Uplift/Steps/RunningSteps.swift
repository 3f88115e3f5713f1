internal import UpliftSystem

/// The databases whose steps run in this task, the outermost first.
///
/// A step that asked for an upgrade of its own database would wait for itself.
enum RunningSteps {
  @TaskLocal static var databases: [FileFacts.Identity] = []
}
