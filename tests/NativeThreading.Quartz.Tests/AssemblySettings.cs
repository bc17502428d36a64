using System.Diagnostics.CodeAnalysis;

// Most of what takes long here waits for other programs.
[assembly: CollectionBehavior(MaxParallelThreads = 3)]

// Every wait of a test goes through Deadline, which ends it; the runner's token would only hide which one hung.
[assembly: SuppressMessage("Usage", "xUnit1051", Justification = "Deadline ends every wait.")]
[assembly: SuppressMessage("Usage", "xUnit1031", Justification = "Blocking waits are what some tests are about; Deadline ends them.")]
