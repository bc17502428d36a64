using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Tasks;

namespace NativeThreading.Diagnostics;

/// <summary>The observation of a pool's work, by the observer of its options, by listeners of the activity source, or by both.</summary>
/// <param name="options">The options of the pool.</param>
/// <param name="time">The clock of the pool.</param>
internal sealed class WorkObservation(NativeThreadPoolOptions options, TimeProvider time)
{
    private readonly IWorkObserver? _observer = options.WorkObserver;
    private readonly bool _traces = options.TraceItems;
    private readonly ListenerFailures _failures = new(options.Name);

    /// <summary>The name of the pool.</summary>
    public string PoolName { get; } = options.Name;

    /// <summary>The clock of the pool.</summary>
    public TimeProvider Time => time;

    /// <summary>Whether an observer or a listener is active at this moment.</summary>
    public bool IsOn => _observer is not null || IsTraced;

    /// <summary>Whether a listener wants spans.</summary>
    public bool IsTraced => _traces && WorkActivities.Source.HasListeners();

    /// <summary>The observation of a pool with these options, or <see langword="null"/>.</summary>
    public static WorkObservation? Of(NativeThreadPoolOptions options, TimeProvider time) =>
        options.WorkObserver is null && !options.TraceItems ? null : new WorkObservation(options, time);

    /// <summary>Calls a method of the observer, which is foreign code. Throws nothing.</summary>
    public void Tell(WorkStage stage, in WorkInfo work)
    {
        if (_observer is null)
        {
            return;
        }

        try
        {
            switch (stage)
            {
                case WorkStage.Queued:
                    _observer.Queued(work);
                    break;
                case WorkStage.Started:
                    _observer.Started(work);
                    break;
                case WorkStage.Completed:
                    _observer.Completed(work);
                    break;
                case WorkStage.Failed:
                    _observer.Failed(work);
                    break;
                case WorkStage.Expired:
                    _observer.Expired(work);
                    break;
                default:
                    _observer.Cancelled(work);
                    break;
            }
        }
        catch (Exception exception)
        {
            _failures.Note(exception);
        }
    }
}

/// <summary>A scheduler whose work may be observed.</summary>
internal interface IObservedScheduler
{
    /// <summary>The observation of its work, or <see langword="null"/>.</summary>
    WorkObservation? Observation { get; }
}

/// <summary>The part of an item's options that observers see.</summary>
internal interface IObservedOptions
{
    /// <summary>The priority.</summary>
    WorkPriority Priority { get; }

    /// <summary>The object that observers report as the running item, if the item has a name.</summary>
    object? Label { get; }
}

/// <summary>The methods of <see cref="IWorkObserver"/>.</summary>
internal enum WorkStage
{
    Queued,
    Started,
    Completed,
    Failed,
    Expired,
    Cancelled,
}

/// <summary>The activity source <c>NativeThreading</c>. A class of its own, because it makes the runtime load an assembly.</summary>
internal static class WorkActivities
{
    public static readonly ActivitySource Source = Create();

    private static ActivitySource Create()
    {
        var source = new ActivitySource(PoolMetrics.Name, typeof(WorkActivities).Assembly.GetName().Version?.ToString());
        LoadContextEnd.Register(source.Dispose);
        return source;
    }
}

/// <summary>One piece of work that is observed. It is the target of the delegate that runs in place of the user's.</summary>
/// <remarks>Both spans start in the context of the work, so their parent is the activity that was current when the work was queued.</remarks>
internal sealed class ObservedCall : IItemSubject
{
    private const long NotStarted = -1;

    private static readonly Action<object?> s_runRaw = static call => ((ObservedCall)call!).CallRaw();

    private readonly WorkObservation _observation;
    private readonly Delegate _function;
    private readonly object? _state;
    private readonly IObservedOptions? _options;
    private readonly object? _key;
    private readonly long _queued;
    private long _started = NotStarted;
    private readonly UninterruptedLock _queueing = new();
    private bool _isQueued; // under the lock
    private Activity? _activity;

    private ObservedCall(WorkObservation observation, Delegate function, object? state, IObservedOptions? options, object? key, long queued)
    {
        (_observation, _function, _state, _options, _key, _queued) = (observation, function, state, options, key, queued);
    }

    /// <inheritdoc/>
    public Delegate Subject => _function.Target is IItemSubject { Subject: { } inner } ? inner : _function;

    /// <inheritdoc/>
    public bool BeginsWork => true;

    /// <summary>Runs a call of <c>Run</c>.</summary>
    /// <param name="observation">The observation of the pool.</param>
    /// <param name="function">An action, or a function with or without a task.</param>
    /// <param name="options">The options of the call, or <see langword="null"/>.</param>
    /// <param name="key">The key, or <see langword="null"/>.</param>
    /// <param name="run">Queues a call of this object.</param>
    public static TTask Run<TTask>(WorkObservation observation, Delegate function, IObservedOptions? options, object? key, Func<ObservedCall, TTask> run)
        where TTask : Task
    {
        var call = new ObservedCall(observation, function, null, options, key, observation.Time.GetTimestamp());
        TTask task = run(call); // throws if the call is rejected
        call.NoteQueued();
        if (task.IsCompleted)
        {
            call.End(task);
        }
        else
        {
            task.ContinueWith(
                static (task, call) => ((ObservedCall)call!).End(task), call, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        }

        return task;
    }

    /// <summary>A raw item is about to be queued.</summary>
    public static void NoteRawQueued(WorkObservation observation, Action<object?> callback, object? state, IObservedOptions? options) =>
        new ObservedCall(observation, callback, state, options, key: null, queued: 0).NoteQueued();

    /// <summary>The observed call of a callback of a keyed queue, which has no task.</summary>
    public static ObservedCall OfKey(WorkObservation observation, Delegate callback, object key) =>
        new(observation, callback, null, null, key, observation.Time.GetTimestamp());

    /// <summary>Returns the callback that runs in place of a raw item that starts now.</summary>
    public static (Action<object?> Callback, object? State) Raw(
        WorkObservation observation, Action<object?> callback, object? state, IObservedOptions? options, long queued) =>
        (s_runRaw, new ObservedCall(observation, callback, state, options, key: null, queued) { _isQueued = true });

    /// <summary>The observed call of a raw item, for a pool whose items are objects of their own.</summary>
    public static ObservedCall OfRaw(WorkObservation observation, Action<object?> callback, object? state, IObservedOptions? options) =>
        new(observation, callback, state, options, key: null, observation.Time.GetTimestamp());

    /// <summary>A raw item was dropped.</summary>
    public static void NoteRawDropped(WorkObservation observation, Action<object?> callback, object? state, IObservedOptions? options) =>
        new ObservedCall(observation, callback, state, options, key: null, queued: 0).Tell(WorkStage.Cancelled);

    /// <summary>Calls an action.</summary>
    public void Call()
    {
        Begin();
        ((Action)_function)();
    }

    /// <summary>Calls a function.</summary>
    public TResult Call<TResult>()
    {
        Begin();
        return ((Func<TResult>)_function)();
    }

    /// <summary>Calls a callback of a keyed queue.</summary>
    public void CallWith<TState>(TState state)
    {
        bool hasReturned = false;
        Begin();
        try
        {
            ((Action<TState>)_function)(state);
            hasReturned = true;
        }
        finally
        {
            End(hasReturned ? WorkStage.Completed : WorkStage.Failed);
        }
    }

    /// <summary>Calls a raw item. No catch, which would come before the filter of the pool's handler.</summary>
    public void CallRaw()
    {
        bool hasReturned = false;
        Begin();
        try
        {
            Unsafe.As<Action<object?>>(_function)(_state); // it may be a WaitCallback (see WorkItem.AsCallback)
            hasReturned = true;
        }
        finally
        {
            End(!hasReturned || _state is Task { IsFaulted: true } ? WorkStage.Failed : _state is Task { IsCanceled: true } ? WorkStage.Cancelled : WorkStage.Completed);
        }
    }

    /// <summary>The work has been accepted. The queueing thread or the thread that starts the work reports it, whichever is first; the other one waits until
    /// the observer has returned, because the report comes before that of the start.</summary>
    public void NoteQueued()
    {
        using var held = _queueing.EnterScope();
        if (!_isQueued)
        {
            _isQueued = true;
            Tell(WorkStage.Queued);
        }
    }

    /// <summary>The work was dropped, was cancelled or has expired, and does not start.</summary>
    public void NoteNotStarted(bool hasExpired) => Tell(hasExpired ? WorkStage.Expired : WorkStage.Cancelled);

    private void Begin()
    {
        NoteQueued();
        _started = _observation.Time.GetTimestamp();
        Tell(WorkStage.Started);
        if (_observation.IsTraced)
        {
            BeginActivity();
        }
    }

    private void BeginActivity()
    {
        ActivityContext parent = Activity.Current?.Context ?? default;
        string name = ItemName.NameOf(Named);
        if (Tag(WorkActivities.Source.StartActivity($"wait {name}", ActivityKind.Internal, parent)) is { } wait)
        {
            DateTime now = wait.StartTimeUtc;
            wait.SetStartTime(now - _observation.Time.GetElapsedTime(_queued, _started)).SetEndTime(now).Stop();
        }

        _activity = Tag(WorkActivities.Source.StartActivity(name, ActivityKind.Internal, parent));
    }

    private Activity? Tag(Activity? activity)
    {
        activity?.SetTag(PoolMetrics.PoolTag, _observation.PoolName);
        return _key is null ? activity : activity?.SetTag("native_threading.key", _key);
    }

    private void End(Task task) => End(
        HasExpired ? WorkStage.Expired : task.IsCanceled ? WorkStage.Cancelled : task.IsFaulted ? WorkStage.Failed : WorkStage.Completed);

    private void End(WorkStage stage)
    {
        Tell(_started == NotStarted && stage == WorkStage.Failed ? WorkStage.Cancelled : stage); // rejected after it had waited
        if (stage is WorkStage.Failed)
        {
            _activity?.SetStatus(ActivityStatusCode.Error);
        }

        _activity?.Stop();
    }

    private bool HasExpired => _function.Target is IExpiring { HasExpired: true };

    private object Named => _options?.Label ?? (_state is null ? ItemSubject.Of(Subject) : ItemSubject.Of(Unsafe.As<Action<object?>>(_function), _state));

    private void Tell(WorkStage stage)
    {
        long now = stage <= WorkStage.Started ? _started : _observation.Time.GetTimestamp();
        _observation.Tell(stage, new WorkInfo(
            _observation.PoolName,
            Named,
            _key,
            _options?.Priority ?? WorkPriority.Normal,
            _started == NotStarted ? TimeSpan.Zero : _observation.Time.GetElapsedTime(_queued, _started),
            _started == NotStarted ? TimeSpan.Zero : _observation.Time.GetElapsedTime(_started, now)));
    }
}
