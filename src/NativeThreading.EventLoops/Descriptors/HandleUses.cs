namespace NativeThreading.EventLoops.Descriptors;

/// <summary>Counts who relies on the handle of a registration: the registration itself, and each thread that writes without the loop. Who
/// leaves last lets the handle go, and no thread enters after that. So a number is never closed, and given to another file, beneath a
/// write. Model: native/models/handler_gate.pml.</summary>
internal struct HandleUses()
{
    private int _count = 1; // the registration's; all changes are interlocked

    /// <summary>Relies on the handle until <see cref="Leave"/>. <see langword="false"/>: it has been let go.</summary>
    public bool TryEnter()
    {
        for (int count = Volatile.Read(ref _count); count != 0;)
        {
            Chaos.Point("HandleUses.TryEnter");
            int before = Interlocked.CompareExchange(ref _count, count + 1, count);
            if (before == count)
            {
                return true;
            }

            count = before;
        }

        return false;
    }

    /// <summary>Whether no user of the handle is left: then the caller lets it go.</summary>
    public bool Leave()
    {
        Chaos.Point("HandleUses.Leave");
        return Interlocked.Decrement(ref _count) == 0;
    }
}
