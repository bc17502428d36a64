namespace NativeThreading.Platform;

/// <summary>Where one thread sleeps until it is granted what it waits for. The signal or semaphore that it waits at has it on its stack, and
/// takes it off before it grants. So a parker is granted once, and its thread always consumes that grant.</summary>
internal sealed class ManagedParker : IDisposable
{
    private readonly AutoResetEvent _event = new(initialState: false);

    public ManagedParker() => Place = new LinkedListNode<ManagedParker>(this);

    /// <summary>Its place on a stack, guarded by the lock of that stack.</summary>
    public LinkedListNode<ManagedParker> Place { get; }

    /// <summary>Whether it is on a stack. A parker that has left the stack without its thread was granted.</summary>
    public bool IsStacked => Place.List is not null;

    /// <summary>Whether the worker has announced itself as the sentinel.</summary>
    public bool IsSentinel { get; set; }

    /// <summary>Takes the newest parker off a stack and wakes its thread. The caller holds the lock of the stack.</summary>
    public static void GrantNewest(LinkedList<ManagedParker> stack)
    {
        ManagedParker newest = stack.Last!.Value;
        stack.RemoveLast();
        Chaos.Point("ManagedParker.GrantNewest");
        newest._event.Set();
    }

    /// <summary>Sleeps until it is granted: <see langword="true"/>; or until the deadline.</summary>
    public bool AwaitGrant(long deadline) => UninterruptedWait.One(_event, deadline);

    /// <summary>Called when the thread has ended. The parker is on no stack.</summary>
    public void Dispose() => _event.Dispose();
}
