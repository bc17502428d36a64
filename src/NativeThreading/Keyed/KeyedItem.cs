using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Keyed;

/// <summary>An item of a <see cref="KeyedLine"/>: the function to run, and the way in which its caller gets the outcome.</summary>
/// <remarks>A thread that cancels the item, a caller whose entry is rejected and the turn that reaches the item may meet. The thread that takes the
/// item decides.</remarks>
/// <param name="context">The execution context that flows to the item, or <see langword="null"/> for the default context.</param>
internal abstract class KeyedItem(ExecutionContext? context)
{
    private const int New = 0;
    private const int Waiting = 1;
    private const int Taken = 2;

    [ThreadStatic]
    private static KeyedItem? t_running;

    private static readonly AsyncLocal<KeyedItem?> s_awaiting = new();

    private static readonly Action<object?> s_callback = static item => throw new UnreachableException($"A turn has called {item}.");

    private KeyedLine? _line; // until the item has completed
    private KeyedItem? _outer;
    private int _state;

    /// <summary>The item that runs here: on this thread, or as the async function that the calling code is part of.</summary>
    private static KeyedItem? Current => t_running ?? s_awaiting.Value;

    /// <summary>Gets the execution context that flows to the item, or <see langword="null"/> for the default context.</summary>
    public ExecutionContext? Context { get; protected set; } = context;

    /// <summary>Gets the item as a line keeps it.</summary>
    public WorkItem Work => new() { Callback = s_callback, State = this };

    /// <summary>Gets whether a call that the item has made refers to the item.</summary>
    public bool IsRemembered { get; private set; }

    /// <summary>Gets the user's delegate, for names.</summary>
    public abstract Delegate? Subject { get; }

    /// <summary>Gets whether the item has been taken, so a turn passes it over.</summary>
    public bool IsTaken => Volatile.Read(ref _state) == Taken;

    /// <summary>
    /// Gets whether the item continues accepted work. It is never rejected or dropped, does not count against a limit, and ends at its first await.
    /// </summary>
    public virtual bool ContinuesWork => false;

    /// <summary>Gets whether the caller may wait for the item.</summary>
    public virtual bool IsCall => false;

    /// <summary>The line of the item, until the item has completed.</summary>
    protected KeyedLine? Line => _line;

    /// <summary>Whether several threads may try to take the item.</summary>
    protected virtual bool IsContended => false;

    /// <summary>Whether the calling thread runs an item of that line.</summary>
    public static bool RunsHere(KeyedLine line) => t_running?._line == line;

    /// <summary>The item that a line keeps, or <see langword="null"/> for a callback.</summary>
    public static KeyedItem? From(in WorkItem work) => work.Callback == s_callback ? Unsafe.As<KeyedItem>(work.State) : null;

    /// <summary>Throws if the calling code belongs to an item of that line, or to one that such an item has called and may wait for.</summary>
    /// <exception cref="InvalidOperationException">The caller would wait for itself.</exception>
    public static void ThrowIfInside(KeyedLine line)
    {
        for (KeyedItem? item = Current; item?._line is { } outer; item = item._outer)
        {
            if (outer == line && !item.ContinuesWork)
            {
                throw new InvalidOperationException(
                    $"An item of {line} has called Run for its own key, directly or through items of other keys. The call would wait until that item has "
                    + "completed, and the item would wait for the call. Call the function directly, or use Queue, which returns no task.");
            }
        }
    }

    /// <summary>The item joins a line. <see langword="false"/>: its token has cancelled it already.</summary>
    public bool TryJoin(KeyedLine line)
    {
        _line = line;
        OnJoining();
        if (!IsContended)
        {
            _state = Waiting;
            return true;
        }

        return Interlocked.CompareExchange(ref _state, Waiting, New) == New;
    }

    /// <summary>Takes the item in order to run it or to complete it without running it. One caller succeeds.</summary>
    public bool TryTake()
    {
        int state = _state;
        if (IsContended || _line?.IsShared != false)
        {
            state = Interlocked.Exchange(ref _state, Taken);
        }
        else
        {
            _state = Taken;
        }

        if (state == Waiting)
        {
            _line!.Leave(this);
        }

        return state != Taken;
    }

    /// <summary>Runs the item, which the caller has taken.</summary>
    /// <returns>The rest of the item, if it has not completed; <see cref="Complete"/> is called when that task has completed.</returns>
    public Task? Run()
    {
        KeyedItem? outer = t_running;
        t_running = this;
        try
        {
            if (Call() is { } rest)
            {
                return rest;
            }
        }
        finally
        {
            t_running = outer;
        }

        Forget();
        return null;
    }

    /// <summary>The task that <see cref="Run"/> has returned has completed.</summary>
    public void Complete(Task rest)
    {
        Forget();
        SetFrom(rest);
    }

    /// <summary>Completes the item, which the caller has taken, without running it.</summary>
    /// <returns><see langword="false"/>: the item must run all the same.</returns>
    public abstract bool Refuse(Exception reason);

    /// <summary>The calls that the item makes find that the caller of <c>Run</c> may wait for them.</summary>
    protected void RememberCaller()
    {
        _outer = Current;
        if (_outer is not null)
        {
            _outer.IsRemembered = true;
        }
    }

    /// <summary>The code after the awaits of the function that is called next finds this item.</summary>
    protected void FlowToAwaits() => s_awaiting.Value = this;

    /// <inheritdoc cref="Run"/>
    protected abstract Task? Call();

    /// <summary>The item is about to join its line. From here on it may be cancelled.</summary>
    protected virtual void OnJoining()
    {
    }

    protected virtual void SetFrom(Task rest)
    {
    }

    private void Forget()
    {
        _outer = null;
        Volatile.Write(ref _line, null);
    }
}
