namespace NativeThreading.AspNetCore;

/// <summary>One call of a hub on its way through the queue of a pool.</summary>
internal sealed class HubCall(Func<ValueTask<object?>> invoke) : PoolPassage
{
    private Func<ValueTask<object?>>? _invoke = invoke;

    /// <summary>What the hub's method returned; null if the client left before it began.</summary>
    public object? Result { get; private set; }

    protected override async Task InvokeAsync() => Result = await _invoke!().ConfigureAwait(true);

    protected override void Forget() => _invoke = null;
}
