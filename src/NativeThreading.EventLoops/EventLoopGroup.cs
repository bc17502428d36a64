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
    /// <param name="count">The number of loops, between 1 and <see cref="LoopLimit"/>.</param>
    /// <param name="options">The options of each loop, whose number is appended to the name; <see langword="null"/> for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> or an option is out of its range.</exception>
    /// <inheritdoc cref="EventLoop(EventLoopOptions)" path="/exception[not(@cref='T:System.ArgumentNullException') and not(@cref='T:System.ArgumentOutOfRangeException')]"/>
    public EventLoopGroup(int count, EventLoopOptions? options = null)
        : this(count, options, meterFactory: null)
    {
    }

    /// <summary>Creates a group whose loops report to a meter of a factory.</summary>
    /// <param name="count">The number of loops, between 1 and <see cref="LoopLimit"/>.</param>
    /// <param name="options">The options of each loop, whose number is appended to the name; <see langword="null"/> for the defaults.</param>
    /// <param name="meterFactory">The factory of the meter, as for a loop: <see cref="EventLoop(EventLoopOptions, IMeterFactory?)"/>.</param>
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
    /// <returns>The next loop. Successive calls return the loops of the group one after the other.</returns>
    public EventLoop Next() => _loops[(Interlocked.Increment(ref _next) - 1) % (uint)_loops.Length];

    /// <summary>Shuts all loops down at the same time, each as <see cref="EventLoop.ShutdownAsync"/> does.</summary>
    /// <param name="cancellationToken">A token that ends the wait. Callbacks that have not started are dropped.</param>
    /// <returns>A task with the number of callbacks that all loops dropped.</returns>
    public async Task<long> ShutdownAsync(CancellationToken cancellationToken)
    {
        long[] dropped = await Task.WhenAll(_loops.Select(loop => loop.ShutdownAsync(cancellationToken))).ConfigureAwait(false);
        return dropped.Sum();
    }

    /// <summary>Shuts all loops down and waits for them: <see cref="ShutdownAsync"/> without a token.</summary>
    /// <returns>A task that completes when all loops have stopped.</returns>
    public ValueTask DisposeAsync() => new(ShutdownAsync(CancellationToken.None));

    /// <summary>Shuts all loops down and waits until their work has completed. On the thread of one of the loops it does not wait.</summary>
    public void Dispose()
    {
        Task<long> stopped = ShutdownAsync(CancellationToken.None);
        if (!Array.Exists(_loops, static loop => loop.IsOnThread))
        {
            Completion.Wait(stopped);
        }
    }
}
