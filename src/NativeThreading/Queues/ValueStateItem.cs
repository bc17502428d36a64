using System.Runtime.CompilerServices;

namespace NativeThreading.Queues;

/// <summary>Carries a state that is a value. Such an item does not fit into three references, so it costs one object.</summary>
internal sealed class ValueStateItem<TState>(Action<TState> callback, TState state) : IItemSubject
{
    /// <summary>The callback of the slot.</summary>
    public static readonly Action<object?> Invoke = static item => Unsafe.As<ValueStateItem<TState>>(item!).Run();

    public Delegate Subject => callback;

    public bool BeginsWork => false;

    private void Run() => callback(state);
}
