using System.Diagnostics.CodeAnalysis;
using NativeThreading.Tests.Support;

[assembly: CollectionBehavior(typeof(OneAfterTheOther), MaxParallelThreads = 2)]
[assembly: HangWatch]

// The repository is the same everywhere, and its scripts and tools are those of Linux.
[assembly: NeedsSystem(NeedsSystemAttribute.Linux)]

// Every wait of a test goes through Deadline, which ends it; the runner's token would only hide which one hung.
[assembly: SuppressMessage("Usage", "xUnit1051", Justification = "Deadline ends every wait.")]
[assembly: SuppressMessage("Usage", "xUnit1031", Justification = "Some of the documentation is about blocking waits; Deadline ends them.")]
