using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.EventLoops.Turns;

/// <summary>The callbacks that were posted to a loop and have not started, and the flag that shows posting threads whether to wake the loop for them.
/// Model: native/models/loop_attention.pml.</summary>
internal sealed class LoopQueue(CoreLoop native)
{
    /// <summary>1: the loop will scan the callbacks before it sleeps, so posting threads need not wake it. The loop clears the flag before its last
    /// scan; the one posting thread that wakes the loop sets it.</summary>
    private PaddedIndex _attentive = new() { Value = 1 };

    /// <summary>The callbacks. All threads enqueue here through <see cref="TryEnqueue"/>; the loop takes.</summary>
    public InjectorShard Callbacks { get; } = new();

    /// <summary>Publishes a callback, and wakes the loop unless it will scan. No wake-up is lost: the shard has a fence between the publication and
    /// the read of the flag, and the loop one between clearing the flag and its last scan. So either the loop finds the
    /// callback, or this thread finds the flag clear and wakes (T2, T71).</summary>
    /// <returns><see langword="false"/>: the loop has stopped. There is no state in between: the loop seals its shard in the word that claims slots,
    /// and takes all slots that were claimed before (T144).</returns>
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

    /// <summary>The loop's last scan before it sleeps. Returns whether it may sleep.</summary>
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

    /// <summary>The loop is awake and will scan.</summary>
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
            _ = native.Wake(0); // -ESHUTDOWN: the loop has closed, so it has taken all queued callbacks
        }
    }
}
