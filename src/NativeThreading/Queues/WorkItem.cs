using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NativeThreading.Queues;

/// <summary>One work item: three words, written straight into a worker's ring, or into an <see cref="InjectorSegment"/>, so that queueing allocates
/// nothing.</summary>
[SuppressMessage("Performance", "CA1815", Justification = "Items are moved, never compared.")]
internal struct WorkItem
{
    /// <summary>What to call with <see cref="State"/>; <see langword="null"/> marks an empty slot. Every delegate of the shape <c>void
    /// (reference)</c> is kept under this one type (see <see cref="AsCallback"/>).</summary>
    public Action<object?>? Callback;

    /// <summary>The callback's argument.</summary>
    public object? State;

    /// <summary>The context of the call: <see langword="null"/> for the default one (nothing to set up), else an <see cref="ExecutionContext"/> to
    /// restore, or an <see cref="Scheduling.ItemContext"/>, which runs the item.</summary>
    public object? Context;

    /// <summary>Treats a delegate that takes one reference as <see cref="Action{T}"/> of object. That is sound for two reasons. A call depends on the
    /// shape of the delegate's signature, not on its static type. And {callback, state} stay together, so the argument always has the type that the
    /// target expects.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Action<object?> AsCallback(Delegate callback) => Unsafe.As<Action<object?>>(callback);

    /// <summary>The callback of an item whose state may be a value.</summary>
    public static Action<object?> CallbackOf<TState>(Action<TState> callback) =>
        typeof(TState).IsValueType ? ValueStateItem<TState>.Invoke : AsCallback(callback);

    /// <summary>Its state: an object for a value.</summary>
    public static object? StateOf<TState>(Action<TState> callback, TState state) =>
        typeof(TState).IsValueType ? new ValueStateItem<TState>(callback, state) : state;
}

/// <summary>The state of an item that wraps a delegate of the user. Observers read the delegate before the item starts.</summary>
internal interface IItemSubject
{
    /// <summary>The user's delegate, or <see langword="null"/> if it was taken or cancelled.</summary>
    Delegate? Subject { get; }

    /// <summary>Whether the item starts an operation or another call of <c>Run</c>.</summary>
    bool BeginsWork { get; }
}

/// <summary>Carries a state that is a value. Such an item does not fit into three references, so it costs one object.</summary>
internal sealed class ValueStateItem<TState>(Action<TState> callback, TState state) : IItemSubject
{
    /// <summary>The callback of the slot.</summary>
    public static readonly Action<object?> Invoke = static item => Unsafe.As<ValueStateItem<TState>>(item!).Run();

    public Delegate Subject => callback;

    public bool BeginsWork => false;

    private void Run() => callback(state);
}

/// <summary>An index alone on its pair of cache lines: 128 bytes, because x64 prefetches lines in pairs.</summary>
[StructLayout(LayoutKind.Explicit, Size = 2 * Line)]
internal struct PaddedIndex
{
    public const int Line = 128;

    [FieldOffset(Line - sizeof(int))]
    public int Value;
}
