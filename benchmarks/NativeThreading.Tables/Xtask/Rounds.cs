namespace NativeThreading.Tables.Xtask;

/// <summary>Threads that do their share together, round after round, and poll in between.</summary>
internal sealed class Rounds : IDisposable
{
    private readonly Thread[] _threads;
    private int _opened;
    private int _finished;
    private bool _over;

    public Rounds(int threads, Action<int> share)
    {
        _threads = [.. Enumerable.Range(0, threads).Select(index => new Thread(() => Run(index, share)))];
        foreach (Thread thread in _threads)
        {
            thread.UnsafeStart();
        }
    }

    /// <summary>Opens a round and returns when every thread has done its share.</summary>
    public void RunOne()
    {
        Volatile.Write(ref _finished, 0);
        Volatile.Write(ref _opened, _opened + 1);
        var spinner = new SpinWait();
        while (Volatile.Read(ref _finished) < _threads.Length)
        {
            spinner.SpinOnce(sleep1Threshold: -1);
        }
    }

    public void Dispose()
    {
        Volatile.Write(ref _over, true);
        foreach (Thread thread in _threads)
        {
            thread.Join();
        }
    }

    private void Run(int index, Action<int> share)
    {
        for (int round = 1; ; round++)
        {
            var spinner = new SpinWait();
            while (Volatile.Read(ref _opened) < round)
            {
                if (Volatile.Read(ref _over))
                {
                    return;
                }

                spinner.SpinOnce(sleep1Threshold: -1);
            }

            share(index);
            Interlocked.Increment(ref _finished);
        }
    }
}
