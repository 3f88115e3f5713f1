// Calls of the file system, seen by the test's helper program: nothing is exported.
