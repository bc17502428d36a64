using System.Diagnostics.Metrics;
using NativeThreading.Platform;

namespace NativeThreading.EventLoops;

/// <summary>Several event loops, and ways to distribute work over them. Work that belongs together stays on one loop.</summary>
/// <remarks>All members may be called from any thread at any time.</remarks>
/// <example>
/// <code>
/// await using var loops = new EventLoopGroup(2, new EventLoopOptions { Name = "io" });
/// EventLoop loop = loops.Next();
/// </code>
/// </example>
public sealed class EventLoopGroup : IDisposable, IAsyncDisposable
{
    /// <summary>The most loops a group can have.</summary>
    public const int LoopLimit = 1024;

    private readonly EventLoop[] _loops;
    private uint _next;

    /// <summary>Creates a group of one loop per processor.</summary>
    /// <inheritdoc cref="EventLoop(EventLoopOptions)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    public EventLoopGroup()
        : this(Environment.ProcessorCount)
    {
    }

    /// <summary>Creates a group.</summary>
    /// <param name="count">How many loops: 1 to <see cref="LoopLimit"/>.</param>
    /// <param name="options">The options of each loop; its number is appended to the name. The defaults if null.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> or an option is out of its range.</exception>
    /// <inheritdoc cref="EventLoop(EventLoopOptions)" path="/exception[not(@cref='T:System.ArgumentNullException') and not(@cref='T:System.ArgumentOutOfRangeException')]"/>
    public EventLoopGroup(int count, EventLoopOptions? options = null)
        : this(count, options, meterFactory: null)
    {
    }

    /// <summary>Creates a group whose loops' metrics go to a meter of a factory.</summary>
    /// <param name="count">How many loops: 1 to <see cref="LoopLimit"/>.</param>
    /// <param name="options">The options of each loop; its number is appended to the name. The defaults if null.</param>
    /// <param name="meterFactory">As for a loop: <see cref="EventLoop(EventLoopOptions, IMeterFactory?)"/>.</param>
    /// <inheritdoc cref="EventLoopGroup(int, EventLoopOptions?)" path="/exception"/>
    public EventLoopGroup(int count, EventLoopOptions? options, IMeterFactory? meterFactory)
    {
        OptionRange.ThrowUnlessInRange(nameof(count), count, 1, LoopLimit);
        options = (options ?? new EventLoopOptions()).Validated();
        var loops = new List<EventLoop>(count);
        try
        {
            for (int i = 0; i < count; i++)
            {
                EventLoopOptions own = options.Clone();
                own.Name = $"{options.Name}-{i}";
                loops.Add(new EventLoop(own, meterFactory));
            }
        }
        catch
        {
            loops.ForEach(static loop => loop.Dispose());
            throw;
        }

        _loops = [.. loops];
    }

    /// <summary>Gets the loops, in the order of their numbers.</summary>
    public IReadOnlyList<EventLoop> Loops => _loops;

    /// <summary>Returns the next loop in turn.</summary>
    /// <returns>Each loop of the group, one after the other.</returns>
    public EventLoop Next() => _loops[(Interlocked.Increment(ref _next) - 1) % (uint)_loops.Length];

    /// <summary>Shuts all loops down at the same time, each as <see cref="EventLoop.ShutdownAsync"/> does.</summary>
    /// <param name="cancellationToken">Ends the wait, as there.</param>
    /// <returns>How many callbacks were dropped by all of them.</returns>
    public async Task<long> ShutdownAsync(CancellationToken cancellationToken)
    {
        long[] dropped = await Task.WhenAll(_loops.Select(loop => loop.ShutdownAsync(cancellationToken))).ConfigureAwait(false);
        return dropped.Sum();
    }

    /// <summary>Shuts all loops down and waits for them: <see cref="ShutdownAsync"/> without a token.</summary>
    /// <returns>A task that completes when all loops have stopped.</returns>
    public ValueTask DisposeAsync() => new(ShutdownAsync(CancellationToken.None));

    /// <summary>Shuts all loops down and waits until their work is done. On the thread of one of them it does not wait.</summary>
    public void Dispose()
    {
        Task<long> stopped = ShutdownAsync(CancellationToken.None);
        if (!Array.Exists(_loops, static loop => loop.IsOnThread))
        {
            Completion.Wait(stopped);
        }
    }
}
