namespace NativeThreading.Tables.EventLoops;

/// <summary>A loop under measurement. A thread that waits for it gets its exception at once, not at the deadline.</summary>
internal sealed class MeasuredLoop : IDisposable
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(30);

    // Kernel events: a waiter that spun would spend CPU time that the run is charged for.
    private readonly ManualResetEvent _failed = new(initialState: false);
    private readonly AutoResetEvent _ended = new(initialState: false);
    private Exception? _failure;

    public MeasuredLoop(string name) => Loop = new EventLoop(new EventLoopOptions { Name = name, UnhandledException = Fail });

    public EventLoop Loop { get; }

    /// <summary>On the loop, when a run has ended.</summary>
    public void End() => _ended.Set();

    /// <summary>Until the run has ended.</summary>
    /// <exception cref="MeasurementException">It threw, or did not end.</exception>
    public void WaitForEnd()
    {
        switch (WaitHandle.WaitAny([_failed, _ended], s_deadline))
        {
            case 0:
                throw new MeasurementException($"a callback of the loop '{Loop.Name}' threw: {Volatile.Read(ref _failure)}");
            case WaitHandle.WaitTimeout:
                throw new MeasurementException($"a run on the loop '{Loop.Name}' did not end within {s_deadline.TotalSeconds} s.");
        }
    }

    public void Dispose()
    {
        Loop.Dispose();
        _failed.Dispose();
        _ended.Dispose();
    }

    private bool Fail(Exception exception)
    {
        Volatile.Write(ref _failure, exception);
        _failed.Set();
        return true;
    }
}
