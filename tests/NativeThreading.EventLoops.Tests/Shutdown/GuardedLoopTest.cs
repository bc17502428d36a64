namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>A loop whose option's handler takes every exception, and notes it.</summary>
public abstract class GuardedLoopTest : IDisposable
{
    protected GuardedLoopTest() => Loop = new EventLoop(new EventLoopOptions
    {
        Name = "guarded",
        UnhandledException = exception =>
        {
            Taken.Add(exception.Message);
            return true;
        },
    });

    protected EventLoop Loop { get; }

    /// <summary>The messages of what was taken; the loop's thread alone, until it has stopped.</summary>
    protected List<string> Taken { get; } = [];

    public void Dispose()
    {
        GC.SuppressFinalize(this);
        Loop.Dispose();
    }
}
