using NativeThreading.Queues;
using NativeThreading.Tasks;

namespace NativeThreading.Diagnostics;

/// <summary>What stands for an item whose callback may be one of ours: the delegate, or the type, that a user would recognize.
/// Nothing of users is called, and nothing is allocated.</summary>
internal static class ItemSubject
{
    /// <returns>A delegate or a type.</returns>
    public static object Of(Action<object?> callback, object? state) => state switch
    {
        IItemSubject own => Of(own) ?? (object)callback,
        Delegate inner => Unwrapped(inner), // a context's post of an await, or a callback that only calls its state
        Task { AsyncState: IItemSubject own } => Of(own) ?? (object)callback,
        Task task when EntryFunction.Is(task) => Unwrapped(EntryFunction.FunctionOf(task)!),
        Task => state.GetType(), // of an async method it names the state machine
        IThreadPoolWorkItem when NativeThreadPool.ExecutesWorkItem(callback) => state.GetType(),
        _ => Unwrapped(callback),
    };

    private static Delegate? Of(IItemSubject own) => own.Subject is { } subject ? Unwrapped(subject) : null;

    /// <summary>A delegate may be bound to what knows the user's: to an object of ours, or, as one of another type, to the user's itself.</summary>
    private static Delegate Unwrapped(Delegate subject) => subject.Target switch
    {
        IItemSubject own => own.Subject ?? subject,
        Delegate inner => inner,
        _ => subject,
    };
}
