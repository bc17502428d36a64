#if CHAOS
namespace NativeThreading.Tests.Instrumentation;

/// <summary>A build of hostile schedules has points to delay threads at: without them its rounds would show nothing.</summary>
[Trait("Category", "Race")]
public sealed class ChaosBuildTests
{
    [Fact]
    public void TheAssemblyHoldsThePoints() => Assert.NotNull(typeof(NativeThreadPool).Assembly.GetType("NativeThreading.Instrumentation.ChaosRun"));
}
#endif
