namespace NativeThreading.Workloads.Quwi;

/// <summary>The work of one cell: a fixed number of callbacks, divided among the producers and their chains.</summary>
internal sealed class QuwiWork<TForm>
    where TForm : struct, IForm
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(60);

    private readonly int _callbacks;
    private readonly Producer[] _producers;
    private readonly Func<Task>[] _bodies;
    private readonly Task[] _tasks;

    /// <param name="depth">The length of a chain.</param>
    /// <param name="parallelism">The number of producers.</param>
    /// <param name="callbacks">Of all producers; a multiple of both numbers' product.</param>
    public QuwiWork(int depth, int parallelism, int callbacks = QuwiWork.Callbacks)
    {
        _callbacks = callbacks;
        _producers = new Producer[parallelism];
        _bodies = new Func<Task>[parallelism];
        _tasks = new Task[parallelism];
        for (int i = 0; i < parallelism; i++)
        {
            _producers[i] = new Producer(callbacks / parallelism, depth);
            _bodies[i] = _producers[i].Produce<TForm>;
        }
    }

    /// <summary>Callbacks executed so far; the right number only after the work is over.</summary>
    public long Executed => _callbacks - _producers.Sum(p => p.Remaining);

    /// <summary>False if the work was not over in a minute. Once per instance.</summary>
    public bool Run()
    {
        for (int i = 0; i < _tasks.Length; i++)
        {
            _tasks[i] = TForm.Run(_bodies[i]);
        }

        return Task.WaitAll(_tasks, Deadline);
    }
}

internal static class QuwiWork
{
    public const int Callbacks = 512 * 512;
}
