using System.Diagnostics.CodeAnalysis;
using NativeThreading.Tests.Support;

// What a test here measures it measures in a program that it has started. One more than two processors need: some wait.
[assembly: CollectionBehavior(MaxParallelThreads = 3)]

[assembly: HangWatch]

// Signals, limits, preloaded faults, exit codes and the C tests: what these programs are subjected to is Linux's.
[assembly: NeedsSystem(NeedsSystemAttribute.Linux)]

// Every wait of a test goes through Deadline, which ends it; the runner's token would only hide which one hung.
[assembly: SuppressMessage("Usage", "xUnit1051", Justification = "Deadline ends every wait.")]
[assembly: SuppressMessage("Usage", "xUnit1031", Justification = "Blocking waits are what many tests are about; Deadline ends them.")]
