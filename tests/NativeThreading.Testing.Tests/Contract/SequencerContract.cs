using NativeThreading.Tests.Support;

namespace NativeThreading.Testing.Tests.Contract;

/// <summary>A sequencer as a scheduler of tasks and as a synchronization context, on every scheduler.</summary>
/// <typeparam name="TScheduler">The implementation.</typeparam>
public abstract class SequencerContract<TScheduler> : SchedulerContract<TScheduler>
    where TScheduler : SchedulerUnderTest, ICreatable<TScheduler>
{
    [Fact]
    public void Tasks_RunInOrderBetweenOtherItems_AndTheirAwaitsComeBack()
    {
        using SchedulerUnderTest under = Create();
        var sequencer = new Sequencer(under.Scheduler);
        Task task, last;
        using (under.HoldBack())
        {
            sequencer.Queue(static note => note("1"), Note);
            task = Start(sequencer.Scheduler, async () =>
            {
                Note(TaskScheduler.Current == sequencer.Scheduler ? "2" : "elsewhere");
                await Task.Yield();
                Note(TaskScheduler.Current == sequencer.Scheduler ? "4" : "elsewhere");
            }).Unwrap();
            last = sequencer.Run(() => Note("3"), CancellationToken.None);
        }

        Deadline.Until(() =>
        {
            under.Settle();
            return task.IsCompleted && last.IsCompleted;
        });
        Deadline.Wait(Task.WhenAll(task, last));
        Assert.Equal(["1", "2", "3", "4"], Log);
        Assert.Equal(1, sequencer.Scheduler.MaximumConcurrencyLevel);
    }

    [Fact]
    public void ItemThatWaitsForATaskOfItsOwnSequencer_RunsIt()
    {
        using SchedulerUnderTest under = Create();
        var sequencer = new Sequencer(under.Scheduler);
        Task outer = sequencer.Run(() => Endless.Wait(Start(sequencer.Scheduler, () => Note("inner"))), CancellationToken.None);
        under.Settle();
        Deadline.Wait(outer);
        Assert.Equal(["inner"], Log);
    }

    [Fact]
    public void TaskWhoseTokenIsCancelled_IsCancelledAtOnce()
    {
        using SchedulerUnderTest under = Create();
        var sequencer = new Sequencer(under.Scheduler);
        using var source = new CancellationTokenSource();
        using (under.HoldBack())
        {
            var task = new Task(() => Note("ran"), source.Token);
            task.Start(sequencer.Scheduler);
            source.Cancel();
            Assert.True(task.IsCanceled);
        }

        under.Settle();
        Assert.Empty(Log);
    }

    [Fact]
    public void Posts_RunInOrderUnderTheContext_AndTheirAwaitsComeBack()
    {
        using SchedulerUnderTest under = Create();
        var sequencer = new Sequencer(under.Scheduler);
        var completed = new TaskCompletionSource();
        using (under.HoldBack())
        {
            sequencer.Context.Post(
                async _ =>
                {
                    Note(SynchronizationContext.Current == sequencer.Context ? "1" : "elsewhere");
                    await Task.Yield();
                    Note(SynchronizationContext.Current == sequencer.Context ? "3" : "elsewhere");
                    await sequencer.Run(() => Note("4"), CancellationToken.None); // no item of this post waits
                    completed.SetResult();
                },
                null);
            sequencer.Context.CreateCopy().Post(_ => Note("2"), null);
        }

        Deadline.Until(() =>
        {
            under.Settle();
            return completed.Task.IsCompleted;
        });
        Assert.Equal(["1", "2", "3", "4"], Log);
    }

    [Fact]
    public void Send_RunsInPlaceInsideAnItem()
    {
        using SchedulerUnderTest under = Create();
        var sequencer = new Sequencer(under.Scheduler);
        Task item = sequencer.Run(() => sequencer.Context.Send(_ => Note("sent"), null), CancellationToken.None);
        under.Settle();
        Deadline.Wait(item);
        Assert.Equal(["sent"], Log);
    }

    /// <summary>Tasks and posts may be the rest of an async method, so nothing rejects or drops them.</summary>
    [Fact]
    public void TasksAndPosts_ReachTheEndOfAStoppedPoolElsewhere_AndCountAgainstNoLimit()
    {
        using SchedulerUnderTest under = Create(limit: 1);
        var sequencer = new Sequencer(under.Scheduler, limit: 1);
        using var source = new CancellationTokenSource();
        using var ran = new CountdownEvent(4);
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(_ => { });
            _ = Start(sequencer.Scheduler, () => ran.Signal());
            sequencer.Context.Post(_ => ran.Signal(), null);
            Assert.True(sequencer.TryQueue(note => note("dropped"), Note));
            Assert.False(sequencer.TryQueue(note => note("over the limit"), Note));
            Task<long> stopped = under.ShutdownAsync(source.Token);
            source.Cancel();
            Deadline.Wait(stopped);
            Deadline.Until(() => ran.CurrentCount == 2);
            sequencer.Context.Post(_ => ran.Signal(), null);
            _ = Start(sequencer.Scheduler, () => ran.Signal());
            Deadline.Wait(ran);
        }

        Assert.Empty(Log);
    }

    private static Task Start(TaskScheduler scheduler, Action action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler);

    private static Task<T> Start<T>(TaskScheduler scheduler, Func<T> function) =>
        Task.Factory.StartNew(function, CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler);
}

public sealed class ManualSequencerTests : SequencerContract<ManualSchedulerUnderTest>;

public sealed class NativeSequencerTests : SequencerContract<NativeSchedulerUnderTest>;
