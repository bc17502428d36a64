namespace NativeThreading.Async;

/// <summary>The state of an item of which somebody must be told if it never runs.</summary>
internal interface IDroppable
{
    /// <summary>What the item was queued with has stopped: it will not run.</summary>
    void Drop();
}
