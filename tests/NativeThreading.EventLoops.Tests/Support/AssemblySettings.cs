using System.Diagnostics.CodeAnalysis;
using NativeThreading.Tests.Support;

// Tests count threads, wakes and bytes of one process: one after the other. What needs a process of its own: NativeThreading.Processes.Tests.
[assembly: CollectionBehavior(DisableTestParallelization = true)]

[assembly: NoLostRequests]
[assembly: HangWatch]

// Every wait of a test goes through Deadline, which ends it; the runner's token would only hide which one hung.
[assembly: SuppressMessage("Usage", "xUnit1051", Justification = "Deadline ends every wait.")]
[assembly: SuppressMessage("Usage", "xUnit1031", Justification = "Blocking waits are what many tests are about; Deadline ends them.")]
