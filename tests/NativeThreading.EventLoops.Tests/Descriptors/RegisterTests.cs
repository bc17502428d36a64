using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Register, from wherever it is called: the handler runs on the loop, with its state and its caller's context.</summary>
public sealed class RegisterTests : DescriptorTest
{
    private static readonly AsyncLocal<string?> s_local = new();

    public enum From
    {
        TheLoop,
        AThread,
        AWorkerOfAPool,
        AnotherLoop,
    }

    [Theory]
    [InlineData(From.TheLoop)]
    [InlineData(From.AThread)]
    [InlineData(From.AWorkerOfAPool)]
    [InlineData(From.AnotherLoop)]
    public void Handler_RunsOnTheLoop_WithItsStateAndContext(From from)
    {
        using var pair = Pair.OfSockets();
        object state = new();
        var seen = new TaskCompletionSource<(EventLoop? Loop, object? State, string? Local, SynchronizationContext? Context)>(
            TaskCreationOptions.RunContinuationsAsynchronously);

        using EventLoopRegistration registration = CallFrom(from, () =>
        {
            s_local.Value = "callers";
            return Loop.Register(
                pair.Here,
                EventLoopInterest.Write | EventLoopInterest.EdgeTriggered,
                (_, passed) => seen.TrySetResult((EventLoop.Current, passed, s_local.Value, SynchronizationContext.Current)),
                state);
        });

        Assert.Equal((Loop, state, "callers", Loop.SynchronizationContext), Deadline.Result(seen.Task));
        Assert.Same(Loop, registration.Loop);
        Assert.Same(pair.Here, registration.Handle);
        Assert.Equal(EventLoopInterest.Write | EventLoopInterest.EdgeTriggered, registration.Interest);
    }

    [Fact]
    public void T34_ContextOfAHandler_DoesNotReachTheNext()
    {
        using Pair first = Pair.OfSockets(), second = Pair.OfSockets();
        var told = new Told();
        string? seen = "not told";
        Task registered = Loop.InvokeAsync(() =>
        {
            s_local.Value = "of the first";
            Loop.Register(first.Here, EventLoopInterest.Write | EventLoopInterest.EdgeTriggered, (_, _) => s_local.Value = "changed", null);
            s_local.Value = null;
            told.Then = _ => seen = s_local.Value;
            Watch(second.Here, EventLoopInterest.Write | EventLoopInterest.EdgeTriggered, told);
        });

        Deadline.Wait(registered);
        told.Next();
        Assert.Null(seen);
    }

    [Fact]
    public void TwoLoops_MayWatchOneDescriptor()
    {
        using var other = new EventLoop();
        using var pair = Pair.OfSockets();
        Told here = new(), there = new();
        using EventLoopRegistration one = Watch(pair.Here, EventLoopInterest.Read | EventLoopInterest.EdgeTriggered, here);
        using EventLoopRegistration two = other.Register(pair.Here, EventLoopInterest.Read | EventLoopInterest.EdgeTriggered, there.Handle, null);

        pair.There.Write(1);

        Assert.Equal(EventLoopReadiness.Read, here.Next());
        Assert.Equal(EventLoopReadiness.Read, there.Next());
    }

    private T CallFrom<T>(From from, Func<T> function)
    {
        switch (from)
        {
            case From.TheLoop:
                return OnLoop(function);
            case From.AWorkerOfAPool:
                using (NativeThreadPool pool = Pools.WithThreads(1))
                {
                    return pool.OnWorker(function);
                }

            case From.AnotherLoop:
                using (var other = new EventLoop())
                {
                    return Deadline.Result(other.InvokeAsync(function));
                }

            default:
                T? result = default;
                StartGate.Run(1, _ => result = function());
                return result!;
        }
    }
}
