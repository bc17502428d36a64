namespace NativeThreading.Workloads.Xtask;

/// <summary>Threads that do their share together, round after round, and sleep in between: threads that polled would take the processors from the
/// pools that are measured.</summary>
internal sealed class Rounds : IDisposable
{
    private readonly Thread[] _threads;
    private readonly SemaphoreSlim[] _opened;
    private readonly CountdownEvent _finished;
    private bool _over;

    public Rounds(int threads, Action<int> share)
    {
        _finished = new CountdownEvent(threads);
        _opened = [.. Enumerable.Range(0, threads).Select(_ => new SemaphoreSlim(0))];
        _threads = [.. Enumerable.Range(0, threads).Select(index => new Thread(() => Run(index, share)))];
        foreach (Thread thread in _threads)
        {
            thread.UnsafeStart();
        }
    }

    /// <summary>Opens a round and returns when every thread has done its share.</summary>
    public void RunOne()
    {
        _finished.Reset();
        Open();
        _finished.Wait();
    }

    public void Dispose()
    {
        Volatile.Write(ref _over, true);
        Open();
        foreach (Thread thread in _threads)
        {
            thread.Join();
        }

        _finished.Dispose();
        Array.ForEach(_opened, static semaphore => semaphore.Dispose());
    }

    /// <summary>One semaphore each, so that none takes part twice in a round and another not at all.</summary>
    private void Open() => Array.ForEach(_opened, static semaphore => semaphore.Release());

    private void Run(int index, Action<int> share)
    {
        while (true)
        {
            _opened[index].Wait();
            if (Volatile.Read(ref _over))
            {
                return;
            }

            share(index);
            _finished.Signal();
        }
    }
}
