using System.Threading.Channels;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>A handler that records its calls, and lets the test wait for them.</summary>
internal sealed class Told
{
    private readonly Channel<EventLoopReadiness> _told = Channel.CreateUnbounded<EventLoopReadiness>();
    private int _count;

    /// <summary>Called on the loop with the ready set of a call, before the test sees that call.</summary>
    public Action<EventLoopReadiness>? Then { get; set; }

    /// <summary>How often it was called.</summary>
    public int Count => Volatile.Read(ref _count);

    public void Handle(EventLoopReadiness ready, object? state)
    {
        Interlocked.Increment(ref _count);
        try
        {
            Then?.Invoke(ready);
        }
        finally
        {
            Assert.True(_told.Writer.TryWrite(ready));
        }
    }

    /// <summary>The ready set of the next call. Waits for that call.</summary>
    public EventLoopReadiness Next() => Deadline.Result(_told.Reader.ReadAsync().AsTask(), "the handler is called");
}
