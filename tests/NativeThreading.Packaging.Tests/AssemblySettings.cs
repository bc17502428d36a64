using System.Diagnostics.CodeAnalysis;
using NativeThreading.Packaging.Tests.Support;

// Each test builds programs: one after the other.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
[assembly: AssemblyFixture(typeof(PackageFeed))]

// Every program that a test starts has a deadline; the runner's token would only hide which one hung.
[assembly: SuppressMessage("Usage", "xUnit1051", Justification = "CommandLine ends every wait.")]
