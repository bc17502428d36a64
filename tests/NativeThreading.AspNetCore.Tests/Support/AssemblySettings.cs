using System.Diagnostics.CodeAnalysis;
using NativeThreading.Tests.Support;

// Tests block threads of the built-in pool and count items: one after the other. Those that wait for seconds, or for other processes, do so at the same time.
[assembly: CollectionBehavior(typeof(OneAfterTheOther), MaxParallelThreads = 5)]

// Every wait of a test goes through Deadline, which ends it; the runner's token would only hide which one hung.
[assembly: SuppressMessage("Usage", "xUnit1051", Justification = "Deadline ends every wait.")]
[assembly: SuppressMessage("Usage", "xUnit1031", Justification = "Blocking waits are what some tests are about; Deadline ends them.")]
