namespace NativeThreading.EventLoops;

/// <summary>The place of a registration on one loop: its index in the table of targets and its native half. A registration that moves
/// leaves its seat for good and takes another one, so whoever holds the loop of a seat that was not left has both in hand. Only that
/// loop's thread changes it.</summary>
internal sealed class RegistrationSeat(EventLoop loop)
{
    private int _target;
    private long _handle;
    private bool _hasLeft; // others read it

    public EventLoop Loop => loop;

    /// <summary>Whether the registration has left for another loop. It stays so; in the held loop it does not become so.</summary>
    public bool HasLeft => Volatile.Read(ref _hasLeft);

    /// <summary>The loop watches from now on. A negative errno: it does not. Throws where there is no memory, and has changed nothing then.</summary>
    public long Take(EventLoopRegistration registration, int descriptor)
    {
        _target = loop.Targets.Add(registration);
        _handle = loop.Native.Add(descriptor, (uint)registration.Interest, (ulong)_target);
        if (_handle < 0)
        {
            loop.Targets.Remove(_target);
        }

        return Math.Min(_handle, 0);
    }

    public int Modify(EventLoopInterest interest) => loop.Native.Modify(_handle, (uint)interest);

    /// <summary>The loop watches no more; no event that it has taken by now is told.</summary>
    public void GiveUp()
    {
        _ = loop.Native.Remove(_handle);
        loop.Targets.Remove(_target);
    }

    /// <summary>As <see cref="GiveUp"/>: the registration goes on elsewhere.</summary>
    public void Leave()
    {
        GiveUp();
        Volatile.Write(ref _hasLeft, true);
    }
}
