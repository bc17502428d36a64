using System.Runtime.CompilerServices;

namespace NativeThreading.Waiting;

/// <summary>
/// The lock of the library's own state: entering it is never interrupted. <c>Thread.Interrupt</c> is meant for a wait of
/// the item that runs, often comes after it, and would otherwise be thrown at the machinery's next contended lock, where a
/// half-made change, or the process, would end with it (T137).
/// </summary>
/// <remarks>
/// An interrupt that meets a wait here stays pending: whoever called the library is interrupted in a wait of his own, as if
/// there were no lock. A struct, so that a <c>lock</c> statement, which would go by the object's monitor, does not compile.
/// </remarks>
internal readonly struct UninterruptedLock
{
    private readonly Lock _lock;

    public UninterruptedLock() => _lock = new Lock();

    /// <summary>Enters, recursively if held; leave by disposing.</summary>
    public Scope EnterScope()
    {
        try
        {
            _lock.Enter();
        }
        catch (ThreadInterruptedException)
        {
            EnterInterrupted();
        }

        return new Scope(_lock);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void EnterInterrupted()
    {
        while (true)
        {
            try
            {
                _lock.Enter();
                break;
            }
            catch (ThreadInterruptedException)
            {
                // Once more, and again to no avail.
            }
        }

        Thread.CurrentThread.Interrupt();
    }

    /// <summary>The lock is held until this is disposed of.</summary>
    public readonly ref struct Scope(Lock entered)
    {
        /// <summary>Leaves.</summary>
        public void Dispose() => entered.Exit();
    }
}
