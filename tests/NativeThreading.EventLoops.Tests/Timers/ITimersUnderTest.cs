namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>A source of timers, whichever it is: what the contract of TimeProvider is written against.</summary>
public interface ITimersUnderTest : IDisposable
{
    TimeProvider Provider { get; }

    /// <summary>By how much the provider may be early: what its clock does not tell apart.</summary>
    TimeSpan Resolution { get; }
}

/// <summary>An event loop's.</summary>
public sealed class LoopTimersUnderTest : ITimersUnderTest
{
    private readonly EventLoop _loop = new(new EventLoopOptions { Name = "provider" });

    public TimeProvider Provider => _loop.TimeProvider;

    public TimeSpan Resolution => TimeSpan.Zero;

    public void Dispose() => _loop.Dispose();
}

/// <summary>The runtime's, which says what the contract is.</summary>
public sealed class SystemTimersUnderTest : ITimersUnderTest
{
    public TimeProvider Provider => TimeProvider.System;

    // It counts in ticks of up to a few milliseconds.
    public TimeSpan Resolution => TimeSpan.FromMilliseconds(20);

    public void Dispose()
    {
    }
}

/// <summary>Those of a loop that has stopped: the rest of the contract holds all the same.</summary>
public sealed class StoppedLoopTimersUnderTest : ITimersUnderTest
{
    private readonly EventLoop _loop = new(new EventLoopOptions { Name = "stopped" });

    public StoppedLoopTimersUnderTest() => _loop.Dispose();

    public TimeProvider Provider => _loop.TimeProvider;

    public TimeSpan Resolution => TimeSpan.FromMilliseconds(20);

    public void Dispose() => _loop.Dispose();
}
