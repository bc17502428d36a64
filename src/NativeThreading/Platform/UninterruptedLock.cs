using System.Runtime.CompilerServices;

namespace NativeThreading.Platform;

/// <summary>The lock for the library's own state: no interrupt ends the wait for it. <c>Thread.Interrupt</c> is meant for a wait of the
/// running item, and often comes later. An ordinary lock would throw it inside the library, in the middle of a change (T137).</summary>
/// <remarks>An interrupt that comes during the wait stays pending, so the caller meets it in a wait of its own. This is a struct so that a
/// <c>lock</c> statement, which would take an object's monitor, does not compile.</remarks>
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
        Interruption.HoldDuring(_lock, static held => held.Enter());
        Thread.CurrentThread.Interrupt();
    }

    /// <summary>The lock is held until this is disposed of.</summary>
    public readonly ref struct Scope(Lock entered)
    {
        /// <summary>Leaves.</summary>
        public void Dispose() => entered.Exit();
    }
}
