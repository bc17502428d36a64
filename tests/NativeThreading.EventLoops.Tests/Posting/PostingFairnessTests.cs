using System.IO.Pipes;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Posting;

/// <summary>Callbacks without end keep neither timers nor descriptors from their turn (T28, T29).</summary>
public sealed class PostingFairnessTests : IDisposable
{
    private const int Wanted = 20;

    private readonly EventLoop _loop = new();
    private readonly AnonymousPipeServerStream _reader = new(PipeDirection.In);
    private readonly AnonymousPipeClientStream _writer;
    private readonly CountdownEvent _fired = new(Wanted);
    private readonly CountdownEvent _read = new(Wanted);
    private volatile bool _stop;

    public PostingFairnessTests() => _writer = new AnonymousPipeClientStream(PipeDirection.Out, _reader.ClientSafePipeHandle);

    public void Dispose()
    {
        _stop = true;
        _loop.Dispose();
        _writer.Dispose();
        _reader.Dispose();
        _fired.Dispose();
        _read.Dispose();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(100)]
    [NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
    public void T29_CallbacksThatPostThemselvesAgain_LeaveTimersAndDescriptorsTheirTurn(int chains)
    {
        long turns = 0;
        void Again(object? state)
        {
            turns++;
            if (!_stop)
            {
                _loop.UnsafePost(Again, null);
            }
        }

        for (int i = 0; i < chains; i++)
        {
            _loop.UnsafePost(Again, null);
        }

        AssertTimersAndDescriptorsProgress();
        Assert.NotEqual(0, _loop.Call(() => turns));
    }

    [Fact]
    [NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
    public void T28_AFloodFromOtherThreads_LeavesTimersAndDescriptorsTheirTurn()
    {
        var flood = new Thread(() => StartGate.Run(4, _ =>
        {
            while (!_stop)
            {
                // Never empty, for the callbacks take longer than posting them; but bounded.
                if (_loop.PendingCallbackCount < 10_000)
                {
                    _loop.UnsafePost(static _ => Thread.SpinWait(100), null);
                }
            }
        }));
        flood.Start();
        Deadline.Until(() => _loop.PendingCallbackCount > 1_000);
        AssertTimersAndDescriptorsProgress();
        _stop = true;
        Deadline.Join(flood);
    }

    [Fact]
    public void T29_ACallbackThatPostsItselfAgain_LeavesOtherThreadsTheirTurn()
    {
        void Again(object? state)
        {
            if (!_stop)
            {
                _loop.UnsafePost(Again, null);
            }
        }

        _loop.UnsafePost(Again, null);
        for (int i = 0; i < 1_000; i++)
        {
            _loop.Call(() => { });
        }
    }

    private void AssertTimersAndDescriptorsProgress()
    {
        _loop.Call(() => new EventLoopTimer(_loop, _ => Signal(_fired), null)
            .Arm(TimeSpan.Zero, TimeSpan.FromMilliseconds(1)));
        EventLoopRegistration? registration = null;
        registration = _loop.Call(() => _loop.Register(
            _reader.SafePipeHandle,
            EventLoopInterest.Read,
            (_, _) =>
            {
                Assert.True(registration!.TryRead(stackalloc byte[1], out int count));
                Assert.Equal(1, count);
                Signal(_read);
            },
            null));
        for (int i = 0; i < Wanted; i++)
        {
            _writer.Write([1]);
        }

        Deadline.Wait(_fired);
        Deadline.Wait(_read);
        registration.Dispose();
    }

    private static void Signal(CountdownEvent counted)
    {
        if (!counted.IsSet)
        {
            counted.Signal();
        }
    }
}
