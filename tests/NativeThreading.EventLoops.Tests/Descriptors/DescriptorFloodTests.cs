using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>T28, T74: a ready descriptor is served though callbacks and timers never end.</summary>
public sealed class DescriptorFloodTests : DescriptorTest
{
    private const int Rounds = 50;
    private const int MostPending = 5_000;

    private readonly Pair _pair = Pair.OfSockets();

    protected override void Release() => _pair.Dispose();

    [Theory]
    [CombinatorialBooleans]
    public void T74_IsServed(bool edge, bool byThreads, bool byItself, bool byTimers)
    {
        var told = new Told();
        byte[] buffer = new byte[8];
        EventLoopRegistration? registration = null;
        told.Then = _ => registration!.TryRead(buffer, out int _);
        OnLoop(() => registration = Watch(_pair.Here, EventLoopInterest.Read | (edge ? EventLoopInterest.EdgeTriggered : 0), told));
        using var flood = new Flood(Loop, byThreads, byItself, byTimers, MostPending);

        for (int i = 0; i < Rounds; i++)
        {
            flood.AwaitProgress();
            _pair.There.Write((byte)i);
            Assert.Equal(EventLoopReadiness.Read, told.Next());
        }

        OnLoop(registration!.Dispose);
        Assert.Equal(Rounds, told.Count);
    }
}
