System.openStandardFiles()
System.ignoreBrokenPipes()
System.end(Program(arguments: System.arguments()).run())
