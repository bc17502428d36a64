using System.Threading.Channels;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>A handler that writes down what it is told, and lets the test wait for it.</summary>
internal sealed class Told
{
    private readonly Channel<EventLoopReadiness> _told = Channel.CreateUnbounded<EventLoopReadiness>();
    private int _count;

    /// <summary>Called on the loop with what it is told, before the test learns of it.</summary>
    public Action<EventLoopReadiness>? Then { get; set; }

    /// <summary>How often it was told anything.</summary>
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

    /// <summary>What it was told next, waiting for it.</summary>
    public EventLoopReadiness Next() => Deadline.Result(_told.Reader.ReadAsync().AsTask(), "the handler is told");
}
