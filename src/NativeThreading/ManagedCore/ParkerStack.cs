using System.Diagnostics;

namespace NativeThreading.ManagedCore;

/// <summary>The parkers of threads that wait, the most recent one on top. Guarded by a lock bit in the word of whoever has it; all members
/// need that bit. As native/src/waiter_stack.c.</summary>
internal struct ParkerStack
{
    private ManagedParker? _top;

    public readonly bool IsEmpty => _top is null;

    /// <summary>Puts the parker on top, without a token.</summary>
    public void Push(ManagedParker parker)
    {
        Debug.Assert(!parker.IsStacked);
        parker.Reset();
        parker.IsStacked = true;
        parker.Newer = null;
        parker.Older = _top;
        if (_top is { } top)
        {
            top.Newer = parker;
        }

        _top = parker;
    }

    /// <summary>Takes the top off; there is one.</summary>
    public ManagedParker Pop()
    {
        ManagedParker parker = _top!;
        Remove(parker);
        return parker;
    }

    /// <summary>Takes a parker off wherever it is on the stack.</summary>
    public void Remove(ManagedParker parker)
    {
        Debug.Assert(parker.IsStacked);
        if (parker.Newer is { } newer)
        {
            newer.Older = parker.Older;
        }
        else
        {
            Debug.Assert(_top == parker);
            _top = parker.Older;
        }

        if (parker.Older is { } older)
        {
            older.Newer = parker.Newer;
        }

        parker.Newer = null;
        parker.Older = null;
        parker.IsStacked = false;
    }
}
