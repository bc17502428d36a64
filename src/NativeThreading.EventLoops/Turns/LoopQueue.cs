using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.EventLoops.Turns;

/// <summary>The callbacks that were posted to a loop and have not started, and the flag by which posters know whether to wake the
/// loop for them. Model: native/models/loop_attention.pml.</summary>
internal sealed class LoopQueue(CoreLoop native)
{
    /// <summary>1: the loop will look at the callbacks before it sleeps, so no poster need wake it. The loop clears it before its
    /// last look; the one poster that wakes the loop sets it.</summary>
    private PaddedIndex _attentive = new() { Value = 1 };

    /// <summary>The callbacks. All threads enqueue here through <see cref="TryEnqueue"/>; the loop takes.</summary>
    public InjectorShard Callbacks { get; } = new();

    /// <summary>Publishes a callback, and wakes the loop unless it will look. No wake is lost: the shard fences between the
    /// publication and the read of the flag, the loop between clearing the flag and its last look. So either the loop finds the
    /// callback, or this thread finds the flag clear and wakes (T2, T71).</summary>
    /// <returns><see langword="false"/>: the loop has stopped. Nothing lies in between: the loop seals its shard in the word by
    /// which slots are claimed, and takes all that were claimed before (T144).</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryEnqueue(Action<object?> callback, object? state, object? context)
    {
        if (!Callbacks.Enqueue(callback, state, context))
        {
            return false;
        }

        Chaos.Point("LoopQueue.TryEnqueue, published");
        if (Volatile.Read(ref _attentive.Value) == 0)
        {
            Wake();
        }

        return true;
    }

    /// <summary>The loop's last look before it sleeps: whether it may sleep.</summary>
    public bool TryBecomeInattentive()
    {
        Chaos.Point("LoopQueue.TryBecomeInattentive");
        Volatile.Write(ref _attentive.Value, 0);
        Interlocked.MemoryBarrier(); // pairs with the one in InjectorShard.Publish
        Chaos.Point("LoopQueue.TryBecomeInattentive, inattentive");
        if (Callbacks.IsEmpty)
        {
            return true;
        }

        BecomeAttentive();
        return false;
    }

    /// <summary>The loop is awake and will look.</summary>
    public void BecomeAttentive() => Volatile.Write(ref _attentive.Value, 1);

    /// <summary>Wakes the loop for something other than a callback: it has been stopped.</summary>
    public void WakeForStop()
    {
        Interlocked.Exchange(ref _attentive.Value, 1);
        _ = native.Wake(0);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Wake()
    {
        Chaos.Point("LoopQueue.Wake");
        if (Interlocked.Exchange(ref _attentive.Value, 1) == 0)
        {
            Chaos.Point("LoopQueue.Wake, claimed");
            _ = native.Wake(0); // -ESHUTDOWN: the loop has closed, so it has taken all that was queued
        }
    }
}
