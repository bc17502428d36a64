using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>A loop, and the certainty at the end that it ran to its end and that no callback threw unexpectedly on it.</summary>
public abstract class DescriptorTest : IDisposable
{
    private readonly ConcurrentQueue<Exception> _unhandled = new();

    protected DescriptorTest()
    {
        NeedsNativeCoreAttribute.SkipUnlessMet(NeedsNativeCoreAttribute.Descriptors); // before others make their registrations
        Loop = new EventLoop(new EventLoopOptions
        {
            Name = "descriptors",
            UnhandledException = exception =>
            {
                _unhandled.Enqueue(exception);
                return true;
            },
        });
    }

    protected EventLoop Loop { get; }

    public void Dispose()
    {
        GC.SuppressFinalize(this);
        Deadline.Wait(Loop.ShutdownAsync(CancellationToken.None));
        Release();
        Assert.Empty(_unhandled);
    }

    /// <summary>What else the test has made; the loop has stopped.</summary>
    protected virtual void Release()
    {
    }

    /// <summary>The next exception that no code on the loop handled. The test expects it.</summary>
    protected Exception NextUnhandled()
    {
        Deadline.Until(() => !_unhandled.IsEmpty, "an unhandled exception");
        return _unhandled.TryDequeue(out Exception? exception) ? exception : throw new InvalidOperationException();
    }

    protected T OnLoop<T>(Func<T> function) => Deadline.Result(Loop.InvokeAsync(function), "the function on the loop");

    protected void OnLoop(Action action) => Deadline.Wait(Loop.InvokeAsync(action), "the action on the loop");

    private protected EventLoopRegistration Watch(SafeHandle handle, EventLoopInterest interest, Told told) =>
        Loop.Register(handle, interest, told.Handle, null);

    /// <summary>
    /// Returns when the loop has told of everything that was ready at the call: the kernel reports in the order in which
    /// things became ready, so that one thing more, told of, is the proof.
    /// </summary>
    protected void AwaitLook()
    {
        using var pair = Pair.OfPipeToRead();
        var told = new Told();
        using EventLoopRegistration registration = Watch(pair.Here, EventLoopInterest.Read | EventLoopInterest.EdgeTriggered, told);
        pair.There.Write(1);
        Assert.Equal(EventLoopReadiness.Read, told.Next());
        OnLoop(registration.Dispose);
    }
}
