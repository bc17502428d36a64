namespace NativeThreading.Queues;

/// <summary>
/// A callback and a context that many items have in common, as one object: such an item takes two words of the injector queue instead of
/// three.
/// </summary>
/// <param name="callback">What to call.</param>
/// <param name="context">The context of the calls.</param>
internal sealed class RepeatedCall(Action<object?> callback, object context)
{
    /// <summary>What to call.</summary>
    public Action<object?> Callback => callback;

    /// <summary>The context of the calls.</summary>
    public object Context => context;
}
