namespace NativeThreading.Samples.Cluster;

/// <summary>What goes wrong in the middle of a run: a node is killed, another one is stopped and continues, the database is restarted. <see cref="ItemJob"/> adds that
/// recovered firings fail at first, <see cref="FanOut"/> one that has lost its data.</summary>
internal sealed class Chaos(IReadOnlyList<NodeProcess> nodes, OwnPostgres? database, int items)
{
    private readonly Queue<(double Share, Func<CancellationToken, Task> Begin)> _steps = new(Steps(nodes, database));
    private readonly List<Task> _started = [];

    /// <summary>Whether all that was to go wrong is over.</summary>
    public bool IsOver => _steps.Count == 0 && _started.TrueForAll(step => step.IsCompleted);

    /// <summary>Begins the steps whose time has come; throws what an earlier one threw.</summary>
    public async Task ContinueAsync(long done, CancellationToken cancellationToken)
    {
        while (_steps.TryPeek(out var next) && done >= next.Share * items)
        {
            _steps.Dequeue();
            _started.Add(next.Begin(cancellationToken));
        }

        foreach (Task step in _started.Where(step => step.IsCompleted))
        {
            await step;
        }
    }

    private static IEnumerable<(double, Func<CancellationToken, Task>)> Steps(IReadOnlyList<NodeProcess> nodes, OwnPostgres? database)
    {
        TimeSpan tooLong = ClusterSettings.CheckinInterval + ClusterSettings.CheckinGrace + TimeSpan.FromSeconds(3);
        yield return (0.2, _ =>
        {
            nodes[0].Kill();
            return Task.CompletedTask;
        });
        yield return (0.4, cancellationToken => nodes[^1].StopForAsync(tooLong, cancellationToken));
        if (database is not null)
        {
            yield return (0.7, _ => database.RestartAsync());
        }
    }
}
