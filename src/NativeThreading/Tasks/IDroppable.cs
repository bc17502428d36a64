namespace NativeThreading.Tasks;

/// <summary>The state of an item of which somebody must be told if it never runs.</summary>
internal interface IDroppable
{
    /// <summary>What the item was queued with has stopped: it will not run.</summary>
    /// <param name="stopToken">The token that stopped it, if one did.</param>
    /// <returns><see langword="true"/> if it was dropped here; <see langword="false"/> if it had been cancelled before.</returns>
    bool Drop(CancellationToken stopToken);
}
