using NativeThreading.Tests.Support;

namespace NativeThreading.Testing.Tests.Contract;

/// <summary>What an observer learns of each piece of work, whatever runs it.</summary>
/// <typeparam name="TScheduler">The implementation.</typeparam>
public abstract class ObserverContract<TScheduler> : SchedulerContract<TScheduler>
    where TScheduler : SchedulerUnderTest, ICreatable<TScheduler>
{
    private readonly RecordingObserver _observer = new();

    [Theory]
    [MemberData(nameof(ObservedWays.All), MemberType = typeof(ObservedWays))]
    public void EachPieceOfWork_IsQueued_Starts_AndCompletes_Once(string way, int? limit)
    {
        using SchedulerUnderTest under = Observed(limit);
        ObservedWays.Start(under, way, () => Note("ran"));
        Drain(under);
        under.Until(() => _observer.Stages.Length == 3); // that of a key ends elsewhere
        Assert.Equal(["ran"], Log);
        Assert.Equal(["Queued", "Started", "Completed"], _observer.Stages);
        (object? key, WorkPriority priority) = way switch
        {
            "keyed" or "keyed callback" => ((object?)"key", WorkPriority.Normal),
            "options" or "raw with options" => (null, WorkPriority.High),
            "later with options" => (null, WorkPriority.Low),
            _ => (null, WorkPriority.Normal),
        };
        string name = way.Contains("with a name", StringComparison.Ordinal) ? "named" : _observer.Seen[0].Work.Name;
        Assert.All(_observer.Seen, seen => Assert.Equal(("under-test", key, name, priority), (seen.Work.PoolName, seen.Work.Key, seen.Work.Name, seen.Work.Priority)));
        if (way != "scheduler") // the framework hides the function of its task
        {
            Assert.True(way.Contains("with a name", StringComparison.Ordinal) || name.Contains(nameof(ObservedWays), StringComparison.Ordinal), name);
        }
    }

    [Theory]
    [MemberData(nameof(ObservedWays.All), MemberType = typeof(ObservedWays))]
    public void WorkThatThrows_Fails(string way, int? limit)
    {
        using SchedulerUnderTest under = Observed(limit);
        ObservedWays.Start(under, way, () =>
        {
            Note("ran");
            throw new FormatException();
        });
        Drain(under);
        under.Until(() => _observer.Stages.Length == 3);
        Assert.Equal(["ran"], Log);
        Assert.Equal(["Queued", "Started", "Failed"], _observer.Stages);
    }

    [Fact]
    public void WorkThatExpiresOrIsCancelled_EndsOnce_WithoutAStart()
    {
        using SchedulerUnderTest under = Observed();
        using var cancelled = new CancellationTokenSource();
        var late = new WorkOptions { Name = "late", StartWithin = TimeSpan.Zero };
        Task expires, isCancelled, operation;
        using (under.HoldBack())
        {
            expires = under.Scheduler.Run(() => Note("ran"), late);
            isCancelled = under.Scheduler.Run(() => Note("ran"), cancelled.Token);
            operation = under.Scheduler.Run(() => Task.CompletedTask, cancelled.Token);
            under.Scheduler.QueueUserWorkItem(_ => Note("ran"), null, late);
            cancelled.Cancel();
        }

        Drain(under);
        Assert.Empty(Log);
        Assert.Equal(["late", "late"], _observer.Seen.Where(static seen => seen.Stage == "Expired").Select(static seen => seen.Work.Name));
        Assert.Equal(2, _observer.Stages.Count(static stage => stage == "Cancelled"));
        Assert.True(expires.IsCanceled && isCancelled.IsCanceled && operation.IsCanceled);
    }

    [Fact]
    public void WorkThatAStopDropsOrCancels_IsCancelled()
    {
        using SchedulerUnderTest under = Observed();
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(static _ => { });
            under.Scheduler.Run(static () => { }, CancellationToken.None);
            under.Scheduler.Run(static () => Task.CompletedTask, CancellationToken.None);
            Assert.Equal(3, Deadline.Result(under.ShutdownAsync(new CancellationToken(canceled: true))));
        }

        Assert.Equal(3, _observer.Stages.Count(static stage => stage == "Cancelled"));
    }

    [Fact]
    public void RejectedCalls_AreNotObserved()
    {
        using SchedulerUnderTest under = Observed(limit: 1);
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(static _ => { });
            int seen = _observer.Seen.Length;
            Assert.False(under.Scheduler.TryQueueUserWorkItem(static _ => { }, null));
            Assert.Throws<QueueFullException>(() => under.Scheduler.QueueUserWorkItem(static _ => { }));
            Assert.True(under.Scheduler.RunAsync(static () => { }, CancellationToken.None).IsFaulted);
            Assert.Equal(seen, _observer.Seen.Length);
        }
    }

    [Fact]
    public void ACallThatAKeysLimitRejects_IsNotObserved()
    {
        using SchedulerUnderTest under = Observed();
        var queue = new KeyedQueue<string>(under.Scheduler, limitPerKey: 1);
        using (under.HoldBack())
        {
            Assert.True(queue.TryQueue("key", static _ => { }, 0));
            Assert.False(queue.TryQueue("key", static _ => { }, 0));
        }

        Drain(under);
        Assert.Equal(1, _observer.Seen.Count(static seen => seen.Stage == "Queued" && seen.Work.Key is not null));
    }

    [Fact]
    public void WorkThatWaitsForAPermit_IsQueuedWhenItHasOne()
    {
        using SchedulerUnderTest under = Create(new NativeThreadPoolOptions { QueueLimit = 1, QueueFullMode = QueueFullMode.Wait, WorkObserver = _observer });
        Task waits;
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(_ => Note("first"));
            waits = under.Scheduler.QueueAsync(_ => Note("second"), null, CancellationToken.None).AsTask();
            Assert.Equal(1, _observer.Stages.Count(static stage => stage == "Queued") - HeldBack);
        }

        under.Until(() => waits.IsCompleted);
        Drain(under);
        Assert.Equal(["first", "second"], Log);
        Assert.Equal(2, _observer.Stages.Count(static stage => stage == "Queued") - HeldBack);
        Assert.Equal(2, _observer.Stages.Count(static stage => stage == "Completed") - HeldBack);
    }

    [Fact]
    public void ObserverThatThrows_ChangesNothing()
    {
        using SchedulerUnderTest under = Create(new NativeThreadPoolOptions { WorkObserver = new Thrower() });
        Task<int> run = under.Scheduler.Run(static () => 1, CancellationToken.None);
        under.Until(() => run.IsCompleted);
        Assert.Equal(1, Deadline.Result(run));
    }

    /// <summary>Items that HoldBack has queued, which are observed, too.</summary>
    private static int HeldBack => typeof(TScheduler) == typeof(NativeSchedulerUnderTest) ? 1 : 0;

    private SchedulerUnderTest Observed(int? limit = null) => Create(new NativeThreadPoolOptions
    {
        QueueLimit = limit,
        WorkObserver = _observer,
        UnhandledException = static exception => exception is FormatException,
    });

    private static void Drain(SchedulerUnderTest under)
    {
        Task<long> stopped = under.ShutdownAsync(CancellationToken.None);
        under.Until(() => stopped.IsCompleted);
    }

    private sealed class Thrower : IWorkObserver
    {
        public void Queued(in WorkInfo work) => throw new FormatException("at the queue");

        public void Started(in WorkInfo work) => throw new FormatException("at the start");
    }
}

public sealed class ManualObserverTests : ObserverContract<ManualSchedulerUnderTest>;

public sealed class NativeObserverTests : ObserverContract<NativeSchedulerUnderTest>;
