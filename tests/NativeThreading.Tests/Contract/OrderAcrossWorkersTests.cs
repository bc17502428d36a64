using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>
/// T133: how many later items of one producer begin before an earlier one, on several workers. The items are let go one by
/// one, so that no other process on the machine has a say in the order.
/// </summary>
public sealed class OrderAcrossWorkersTests : IDisposable
{
    private const int Workers = 2;
    private const int LongItems = 40;

    private readonly List<int> _order = [];
    private readonly ManualResetEventSlim[] _gates = [.. Enumerable.Range(0, LongItems).Select(static _ => new ManualResetEventSlim())];
    private readonly CountdownEvent _ended = new(LongItems);

    /// <summary>How a producer queues.</summary>
    public enum Form
    {
        Outside,
        Worker,
        Tasks,
        Limited,
        BesideABlockedWorker,
    }

    public void Dispose()
    {
        _ended.Dispose();
        Array.ForEach(_gates, static gate => gate.Dispose());
    }

    /// <summary>Each form, with and without an abrupt change from short items to long ones.</summary>
    public static TheoryData<Form, int> Forms =>
        [.. from form in Enum.GetValues<Form>() from shortOnes in (int[])[0, 3_000] select (form, shortOnes)];

    [Theory]
    [MemberData(nameof(Forms))]
    public void T133_LongItems_BeginInTheirOrder(Form form, int shortOnes)
    {
        using var release = new ManualResetEventSlim();
        using NativeThreadPool pool = PoolFor(form, release);
        try
        {
            Produce(pool, form, shortOnes);
            LetGoOneByOne();
        }
        finally
        {
            release.Set();
            Array.ForEach(_gates, static gate => gate.Set());
        }

        Deadline.Wait(_ended);
        Assert.Equal(LongItems, _order.Distinct().Count());
        int overtaken = Enumerable.Range(0, LongItems).Max(Overtakers);
        Assert.True(overtaken <= Workers + 3, $"{overtaken} later ones began before an earlier one: {string.Join(' ', _order)}");
    }

    private static NativeThreadPool PoolFor(Form form, ManualResetEventSlim release)
    {
        bool blocks = form == Form.BesideABlockedWorker;
        var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            MaxThreads = blocks ? Workers + 1 : Workers,
            MaxBlockedThreads = 0,
            QueueLimit = form == Form.Limited ? 100_000 : null,
        });
        if (blocks)
        {
            using var isBlocked = new ManualResetEventSlim();
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    isBlocked.Set();
                    Deadline.Wait(release);
                },
                null);
            Deadline.Wait(isBlocked);
        }

        return pool;
    }

    private void Produce(NativeThreadPool pool, Form form, int shortOnes)
    {
        if (form == Form.Worker)
        {
            pool.UnsafeQueueUserWorkItem(_ => QueueAll(pool, form, shortOnes), null);
        }
        else
        {
            QueueAll(pool, form, shortOnes);
        }
    }

    private void QueueAll(NativeThreadPool pool, Form form, int shortOnes)
    {
        for (int i = 0; i < shortOnes; i++)
        {
            Queue(pool, form, static () => { });
        }

        for (int i = 0; i < LongItems; i++)
        {
            int number = i;
            Queue(pool, form, () => Run(number));
        }
    }

    private static void Queue(NativeThreadPool pool, Form form, Action action)
    {
        if (form == Form.Tasks)
        {
            pool.Factory.StartNew(action);
        }
        else
        {
            pool.UnsafeQueueUserWorkItem(static action => action(), action, preferLocal: false);
        }
    }

    private void Run(int number)
    {
        lock (_order)
        {
            _order.Add(number);
        }

        long began = Stopwatch.GetTimestamp();
        Deadline.Wait(_gates[number]);
        while (Stopwatch.GetElapsedTime(began) < TimeSpan.FromMicroseconds(100))
        {
            // what makes it a long one
        }

        _ended.Signal();
    }

    /// <summary>As many run as there are workers; each end lets the next one begin.</summary>
    private void LetGoOneByOne()
    {
        for (int next = 0; next < LongItems; next++)
        {
            int started = Math.Min(next + Workers, LongItems);
            Deadline.Until(() => Started >= started, $"{started} items have started");
            lock (_order)
            {
                _gates[_order[next]].Set();
            }
        }
    }

    private int Started
    {
        get
        {
            lock (_order)
            {
                return _order.Count;
            }
        }
    }

    private int Overtakers(int number) => _order.TakeWhile(other => other != number).Count(other => other > number);
}
