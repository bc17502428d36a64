using System.Collections.Concurrent;
using System.Runtime.CompilerServices;

namespace NativeThreading.Integration.Support;

/// <summary>Where the lines of a test ran (T109). Used from any thread.</summary>
internal sealed class Trace(NativeThreadPool pool)
{
    private readonly ConcurrentDictionary<string, int> _strayed = new();
    private int _notes;

    /// <summary>To be called after an await: on a worker of the pool, with its context or under its scheduler, so that the next await stays too.</summary>
    public void Note([CallerLineNumber] int line = 0) =>
        Note(TaskScheduler.Current == pool.Scheduler || pool.SwitchTo().GetAwaiter().IsCompleted, line);

    /// <summary>The same for code that runs on the pool by another scheduler than the pool's own.</summary>
    public void NoteThread([CallerLineNumber] int line = 0) => Note(true, line);

    /// <summary>Exactly so many notes, all of them on threads that carry the pool's name (T115).</summary>
    public void AssertOnThePool(int notes)
    {
        Assert.Empty(_strayed);
        Assert.Equal(notes, Volatile.Read(ref _notes));
    }

    private void Note(bool comesBack, int line)
    {
        Interlocked.Increment(ref _notes);
        Thread thread = Thread.CurrentThread;
        if (NativeThreadPool.Current != pool || !comesBack
            || thread.Name?.StartsWith($"{pool.Name}-worker-", StringComparison.Ordinal) != true)
        {
            string place = $"line {line}: {NativeThreadPool.Current}, {TaskScheduler.Current}, thread {thread.Name}";
            _strayed.AddOrUpdate(place, 1, static (_, times) => times + 1);
        }
    }
}
