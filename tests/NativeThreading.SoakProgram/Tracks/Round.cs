using NativeThreading.SoakProgram.Accounts;
using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Watch;
using NativeThreading.Tasks;

namespace NativeThreading.SoakProgram.Tracks;

/// <summary>The life of one pool or loop: what ingredients queue, each item with its ticket.</summary>
internal abstract class Round(SoakRun soak, PhaseWatch phase, Account account)
{
    private readonly List<Thread> _helpers = [];
    private int _openTasks;
    private long _stoppedCalls;
    private bool _mayBeInterrupted;
    private bool _isEnding;

    public SoakRun Soak { get; } = soak;

    public Account Account { get; } = account;

    /// <summary>Whether a thread is ending the pool or loop, or has ended it.</summary>
    public bool IsEnding => Volatile.Read(ref _isEnding);

    protected bool MayBeInterrupted => Volatile.Read(ref _mayBeInterrupted);

    /// <summary>Calls that the token of a shutdown has cancelled: their tickets are settled, and the shutdown has counted them as dropped.</summary>
    protected long StoppedCalls => Volatile.Read(ref _stoppedCalls);

    /// <summary>Tasks that have not completed.</summary>
    protected int OpenTasks => Volatile.Read(ref _openTasks);

    /// <summary>From now on threads of this pool are interrupted at any moment.</summary>
    public void ExpectInterrupts() => Volatile.Write(ref _mayBeInterrupted, true);

    /// <summary>Queues what carries a ticket. From any thread.</summary>
    /// <param name="kind">Whose item it is.</param>
    /// <param name="entry">Makes the call. Where that throws because the item is refused, nothing of it may run.</param>
    /// <returns>Whether it was accepted.</returns>
    public bool Offer(string kind, Action<Ticket> entry)
    {
        Ticket ticket = Account.Issue(kind);
        try
        {
            entry(ticket);
            return true;
        }
        catch (Exception exception) when (IsRefusal(exception))
        {
            ticket.Refuse();
            return false;
        }
        catch (ThreadInterruptedException) when (ticket.IsOpen)
        {
            ticket.Refuse(); // in the wait for a permit, on a worker of another pool
            throw;
        }
    }

    /// <summary>Starts a task that carries a ticket, and sees to it that the task completes as its ticket says. From any thread.</summary>
    /// <param name="kind">Whose item it is.</param>
    /// <param name="start">Makes the call.</param>
    /// <returns>The task; <see langword="null"/> where it was refused at once.</returns>
    public Task? Follow(string kind, Func<Ticket, Task> start) => Follow(kind, start, (task, ticket) => SettleRun(task, ticket, ofThis: true));

    /// <summary>As <see cref="Follow(string, Func{Ticket, Task})"/>, on another pool, whose shutdown counts what it drops for itself.</summary>
    public Task? FollowOfOther(string kind, Func<Ticket, Task> start) => Follow(kind, start, (task, ticket) => SettleRun(task, ticket, ofThis: false));

    /// <summary>As <see cref="Follow(string, Func{Ticket, Task})"/>, of a call that runs several times and whose first run settles the ticket: a shutdown
    /// may have counted a later one.</summary>
    public Task? FollowSeries(string kind, Func<Ticket, Task> start) => Follow(kind, start, (task, ticket) =>
    {
        if (ticket.HasRun && IsStopped(task))
        {
            Interlocked.Increment(ref _stoppedCalls);
        }

        SettleRun(task, ticket, ofThis: true);
    });

    /// <summary>As <see cref="Follow(string, Func{Ticket, Task})"/>, where the task tells that the item was accepted.</summary>
    public Task? FollowAcceptance(string kind, Func<Ticket, Task> start) => Follow(kind, start, static (task, ticket) =>
    {
        if (!task.IsCompletedSuccessfully)
        {
            ticket.Refuse();
        }
    });

    /// <summary>As <see cref="Follow(string, Func{Ticket, Task})"/>, where a shutdown cancels and counts what it drops.</summary>
    public Task? FollowDroppable(string kind, Func<Ticket, Task> start) => Follow(kind, start, (task, ticket) =>
    {
        if (!task.IsCanceled || ticket.HasRun)
        {
            SettleRun(task, ticket, ofThis: true);
        }
    });

    /// <summary>The item itself: settles its ticket before anything that could throw.</summary>
    public static void Run(Ticket ticket, Action body)
    {
        ticket.Account.Begin();
        try
        {
            ticket.Run();
            (string, long)? outer = Whereabouts.Enter(ticket.Kind);
            try
            {
                body();
            }
            finally
            {
                Whereabouts.Leave(outer);
            }
        }
        finally
        {
            ticket.Account.End();
        }
    }

    /// <summary>Does something on a thread of its own, which the round joins before it checks. By the track alone.</summary>
    public void Help(Action body)
    {
        var thread = new Thread(
            () =>
            {
                try
                {
                    body();
                }
                catch (Exception exception)
                {
                    Account.Report($"a helper threw {exception}");
                }
            },
            PoolShape.SmallStack) { Name = "soak-helper", IsBackground = true };
        _helpers.Add(thread);
        thread.Start();
    }

    /// <summary>What pools and loops answer with where they do not take an item.</summary>
    public static bool IsRefusal(Exception exception) =>
        exception is ObjectDisposedException or QueueFullException or OutOfMemoryException
        || (exception is TaskSchedulerException { InnerException: { } inner } && IsRefusal(inner));

    /// <summary>Whether an item may have failed in this way.</summary>
    public bool IsExpected(Exception exception) =>
        exception is SoakException or OperationCanceledException || IsRefusal(exception)
        || (MayBeInterrupted && exception is ThreadInterruptedException)
        || (exception is AggregateException all && all.InnerExceptions.All(IsExpected));

    /// <summary>Takes the steps, and has the end begin where the plan wants it.</summary>
    protected void RunSteps(Step[] steps, int endsBeforeStep, string ending)
    {
        for (int i = 0; i < steps.Length; i++)
        {
            if (i == endsBeforeStep)
            {
                Help(BeginEnd);
            }

            RunStep(steps[i], new Dice(steps[i].Seed));
        }

        Enter(ending);
        if (endsBeforeStep == steps.Length)
        {
            BeginEnd();
        }
    }

    /// <summary>On the track's thread.</summary>
    protected abstract void RunStep(Step step, Dice dice);

    /// <summary>Ends as planned, on the track's thread or on another; returns when that thread is about to end the pool or loop.</summary>
    protected abstract void End();

    /// <summary>Whether a step that is awaited is over.</summary>
    protected bool HasSettled => (Account.OpenCount == 0 && OpenTasks == 0) || IsEnding;

    private void BeginEnd()
    {
        Volatile.Write(ref _isEnding, true);
        End();
    }

    /// <summary>The next part of the round.</summary>
    protected void Enter(string name) => phase.Enter(name, Soak.Limits.Phase, Account.ToString());

    protected void Leave() => phase.Leave();

    protected void JoinHelpers()
    {
        foreach (Thread helper in _helpers)
        {
            helper.Join();
        }
    }

    /// <summary>Every item is settled or was dropped, and every task has completed; else that is reported.</summary>
    /// <param name="dropped">How many tickets the end has left unsettled. Calls of items that outlive it may change that for a moment.</param>
    protected bool Balance(Func<long> dropped)
    {
        // A stop by token does not stop running items, which may still queue: only then may this take a moment.
        Soak.Until(() => OpenTasks == 0 && Account.IsAtRest(dropped()) && OpenTasks == 0, Soak.Limits.Balance);
        long unsettled = dropped();
        bool balances = Account.Close(unsettled);
        if (OpenTasks is var tasks and not 0)
        {
            Account.Report($"{tasks} tasks have not completed");
        }

        Soak.Tally.Add("items: queued", Account.Issued);
        Soak.Tally.Add("items: ran", Account.RanCount);
        Soak.Tally.Add("items: refused", Account.RefusedCount);
        Soak.Tally.Add("items: dropped", unsettled);
        return balances;
    }

    private Task? Follow(string kind, Func<Ticket, Task> start, Action<Task, Ticket> settle)
    {
        Task? task = null;
        Interlocked.Increment(ref _openTasks);
        try
        {
            Offer(kind, ticket =>
            {
                task = start(ticket);
                task.ContinueWith(
                    done => Settle(done, ticket, settle),
                    CancellationToken.None,
                    TaskContinuationOptions.ExecuteSynchronously,
                    TaskScheduler.Default);
            });
            return task;
        }
        finally
        {
            if (task is null)
            {
                Interlocked.Decrement(ref _openTasks);
            }
        }
    }

    private void Settle(Task task, Ticket ticket, Action<Task, Ticket> settle)
    {
        if (task.Exception is { } failure && !failure.InnerExceptions.All(IsExpected))
        {
            Account.Report($"{ticket.Kind}: a task failed: {failure}");
        }

        settle(task, ticket);
        Interlocked.Decrement(ref _openTasks);
    }

    /// <param name="task">The task.</param>
    /// <param name="ticket">Its ticket.</param>
    /// <param name="ofThis">Whether the pool or loop of this round has run it: its shutdown counts what its token cancels.</param>
    private void SettleRun(Task task, Ticket ticket, bool ofThis)
    {
        if (ticket.HasRun)
        {
            return;
        }

        if (task.IsCompletedSuccessfully)
        {
            Account.Report($"{ticket.Kind}: a task completed that never ran");
        }

        if (ofThis && IsStopped(task))
        {
            Interlocked.Increment(ref _stoppedCalls);
        }

        ticket.Refuse();
    }

    /// <summary>Whether the token of a shutdown has cancelled an operation.</summary>
    private static bool IsStopped(Task task)
    {
        try
        {
            task.GetAwaiter().GetResult();
        }
        catch (Exception exception)
        {
            return exception is OperationCanceledException { Message: CancelledTask.StopMessage };
        }

        return false;
    }
}
