using NativeThreading.Tests.Support;
using static NativeThreading.EventLoops.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>What becomes of registrations when their loop stops.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class RegistrationStopTests : IDisposable
{
    private static readonly CancellationToken s_cancelled = new(canceled: true);

    private readonly EventLoop _loop = new();
    private readonly Pair _pair = Pair.OfSockets();
    private readonly Told _told = new();

    public void Dispose()
    {
        _loop.Dispose();
        _pair.Dispose();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Handles_AreReleased(bool atOnce)
    {
        Pair[] pairs = Pair.OfSockets(100);
        Array.ForEach(pairs, pair => _loop.Register(pair.Here, Read, _told.Handle, null));
        Array.ForEach(pairs, pair => pair.Here.Dispose());
        Assert.DoesNotContain(pairs, pair => pair.Here.IsReleased);

        Deadline.Wait(_loop.ShutdownAsync(new CancellationToken(atOnce)));

        Deadline.Until(() => Array.TrueForAll(pairs, pair => pair.Here.IsReleased));
        Array.ForEach(pairs, pair => pair.There.Dispose());
    }

    [Fact]
    public void Registration_CountsAsDisposed()
    {
        EventLoopRegistration registration = _loop.Register(_pair.Here, Read, _told.Handle, null);
        Deadline.Wait(_loop.ShutdownAsync(CancellationToken.None));

        Assert.Throws<ObjectDisposedException>(() => registration.Interest = Write);
        Assert.Throws<ObjectDisposedException>(() => registration.TryRead(new byte[1], out _));
        registration.Dispose();
        Assert.True(registration.DisposeAsync().AsTask().IsCompletedSuccessfully);
    }

    [Fact]
    public void Register_AfterwardsOrMeanwhile_IsRefused()
    {
        using var blocked = new ManualResetEventSlim();
        _loop.Post(_ => Deadline.Wait(blocked), null);
        Task<long> stopping = _loop.ShutdownAsync(CancellationToken.None);
        Assert.Throws<ObjectDisposedException>(() => _loop.Register(_pair.Here, Read, _told.Handle, null));
        blocked.Set();
        Deadline.Wait(stopping);
        Assert.Throws<ObjectDisposedException>(() => _loop.Register(_pair.Here, Read, _told.Handle, null));
    }

    [Fact]
    public void Register_ThatTheStopOvertakes_IsRefused()
    {
        using var blocked = new ManualResetEventSlim();
        using var left = new ManualResetEventSlim();
        _loop.Post(
            _ =>
            {
                Deadline.Wait(blocked);
                left.Set();
            },
            null);
        Deadline.Until(() => _loop.PendingCallbackCount == 0);
        Task<EventLoopRegistration> registering = Task.Factory.StartNew(
            () => _loop.Register(_pair.Here, Read, _told.Handle, null),
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Deadline.Until(() => _loop.PendingCallbackCount == 1);

        Task<long> stopped = _loop.ShutdownAsync(s_cancelled);

        Assert.Throws<ObjectDisposedException>(() => Deadline.Result(registering));
        Assert.Equal(1, Deadline.Result(stopped));
        blocked.Set();
        Deadline.Wait(left);
        _pair.Here.Dispose();
        Deadline.Until(() => _pair.Here.IsReleased);
    }

    [Fact]
    public void Register_ThatComesWhenTheLoopIsClosed_IsRefused()
    {
        // What a registration does that passed the first look and then ran on the orphan queue.
        Deadline.Wait(_loop.ShutdownAsync(CancellationToken.None));
        Assert.Throws<ObjectDisposedException>(() => new EventLoopRegistration(_loop, _pair.Here, Read, _told.Handle, null, null));
        _pair.Here.Dispose();
        Assert.True(_pair.Here.IsReleased);
    }

    [Fact]
    public void Register_OnTheLoopWhileItDrains_IsAccepted()
    {
        _pair.There.Write(1);
        var told = new TaskCompletionSource();
        Task draining = _loop.InvokeAsync(async () =>
        {
            Task<long> stopping = _loop.ShutdownAsync(CancellationToken.None);
            using EventLoopRegistration registration = _loop.Register(_pair.Here, Read, (_, _) => told.TrySetResult(), null);
            await told.Task;
            Assert.False(stopping.IsCompleted);
        });
        Deadline.Wait(draining);
        Deadline.Wait(_loop.ShutdownAsync(CancellationToken.None));
    }

    [Fact]
    public void DisposeAndSettings_DuringTheStop_NeitherHangNorThrowAnythingElse()
    {
        foreach (int round in Soak.Repeat(20))
        {
            using var loop = new EventLoop();
            Pair[] pairs = Pair.OfSockets(30);
            EventLoopRegistration[] registrations = [.. pairs.Select(pair => loop.Register(pair.Here, Write, _told.Handle, null))];
            StartGate.Run(3, thread =>
            {
                if (thread == 0)
                {
                    Deadline.Wait(loop.ShutdownAsync(s_cancelled));
                    return;
                }

                for (int i = thread - 1; i < registrations.Length; i += 2)
                {
                    try
                    {
                        registrations[i].Interest = Read | EdgeTriggered;
                    }
                    catch (ObjectDisposedException)
                    {
                    }

                    Deadline.Wait(registrations[i].DisposeAsync().AsTask());
                }
            });
            Array.ForEach(pairs, pair => pair.Dispose());
            Deadline.Until(() => Array.TrueForAll(pairs, pair => pair.Here.IsReleased));
        }
    }
}
