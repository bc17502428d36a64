using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Platform;

/// <summary>Requests against workers that announce themselves, park, time out and withdraw: as native/tests/test_signal_races.c.</summary>
[Trait("Category", "Race")]
public sealed unsafe class ManagedWorkerSignalRaceTests
{
    private const int Workers = 3;

    private readonly ManagedWorkerSignal _signal = new();
    private int _made;
    private int _honoured;
    private int _working = Workers;
    private bool _ended;

    [Fact]
    public void T12_T14_T15_T16_EachRequestReachesOneWorker_HoweverItsStayEnds()
    {
        Action[] workers = [.. Enumerable.Range(0, Workers).Select(number => (Action)(() => Work(number)))];
        Race.Run([Request, Request, .. workers]);

        Assert.NotEqual(0, _made);
        Assert.Equal(_made, _honoured);
        Assert.Equal(0UL, *_signal.Word & uint.MaxValue); // T6: no worker idle, nothing requested, locked or owed
        GC.KeepAlive(_signal);
    }

    /// <summary>All workers stay parked until they are chosen. So a request that is lost leaves a worker parked until the deadline.</summary>
    [Fact]
    public void T15_RequestBesideAnAnnouncement_ChoosesAWorker()
    {
        Race.Run([RequestUntilAllHaveEnded, RequestUntilAllHaveEnded, .. Enumerable.Repeat<Action>(WorkUnlessParked, Workers)]);

        Assert.NotEqual(0, _made);
        Assert.Equal(_made, _honoured);
        Assert.Equal(0UL, *_signal.Word & uint.MaxValue);
        GC.KeepAlive(_signal);
    }

    private void Request()
    {
        for (Budget budget = Budget.Of(500); budget.HasTime;)
        {
            RequestOnce();
        }

        Volatile.Write(ref _ended, true);
    }

    private void RequestUntilAllHaveEnded()
    {
        Request();
        while (Volatile.Read(ref _working) != 0)
        {
            RequestOnce();
        }
    }

    private void RequestOnce()
    {
        if (_signal.Request(now: 0) == RequestOutcome.Woke)
        {
            // The next one is made when this one is acknowledged. A worker that never hears of it ends the test here.
            int made = Interlocked.Increment(ref _made);
            Deadline.Until(() => Volatile.Read(ref _honoured) >= made, "a worker is chosen for the request");
        }
    }

    private void Work(int number)
    {
        var random = new Random(number);
        LinkedListNode<AutoResetEvent> worker = _signal.CreateWorker();
        while (!Volatile.Read(ref _ended) || Volatile.Read(ref _honoured) != Volatile.Read(ref _made))
        {
            if (!_signal.Announce(worker, asSentinel: random.Next(4) == 0))
            {
                continue; // there is a sentinel
            }

            Thread.SpinWait(random.Next(100));
            bool chosen = random.Next(3) switch
            {
                0 => _signal.Withdraw(worker),
                1 => _signal.Park(worker, random.Next(3) * 500_000), // nanoseconds
                _ => _signal.Park(worker, 0),
            };
            if (chosen)
            {
                Acknowledge();
            }
        }

        _signal.RemoveWorker(worker);
    }

    private void WorkUnlessParked()
    {
        LinkedListNode<AutoResetEvent> worker = _signal.CreateWorker();
        while (!Volatile.Read(ref _ended))
        {
            Assert.True(_signal.Announce(worker, asSentinel: false));
            Assert.True(_signal.Park(worker, 2 * Deadline.Time.Ticks * TimeSpan.NanosecondsPerTick), "a parked worker was chosen");
            Acknowledge();
        }

        Interlocked.Decrement(ref _working);
        _signal.RemoveWorker(worker);
    }

    private void Acknowledge()
    {
        Interlocked.And(ref *_signal.Word, ~SignalWord.Requested);
        Interlocked.Increment(ref _honoured);
    }
}
