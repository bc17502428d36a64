using NativeThreading.Queues;

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
        Task => state.GetType(), // of an async method it names the state machine
        IThreadPoolWorkItem when NativeThreadPool.ExecutesWorkItem(callback) => state.GetType(),
        _ => Unwrapped(callback),
    };

    private static Delegate? Of(IItemSubject own) => own.Subject is { } subject ? Unwrapped(subject) : null;

    /// <summary>A delegate of ours may be bound to what knows the user's.</summary>
    private static Delegate Unwrapped(Delegate subject) => (subject.Target as IItemSubject)?.Subject ?? subject;
}
