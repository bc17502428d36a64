using NativeThreading.Platform;

namespace NativeThreading.Shutdown;

/// <summary>The tokens that were given to a shutdown. A token that lives longer must not keep what has stopped alive (T91).</summary>
internal sealed class StopTokens
{
    private readonly UninterruptedLock _lock = new();
    private List<CancellationTokenRegistration>? _registrations; // created for the first token: the framework has no compiled code for it
    private bool _isReleased;

    /// <summary>Calls back when the token is cancelled, unless the stop comes first.</summary>
    public void Add(Action<object?, CancellationToken> stop, object target, CancellationToken token)
    {
        if (!token.CanBeCanceled)
        {
            return;
        }

        CancellationTokenRegistration registration = token.UnsafeRegister(stop, target);
        bool late;
        using (_lock.EnterScope())
        {
            late = _isReleased;
            if (!late)
            {
                (_registrations ??= []).Add(registration);
            }
        }

        if (late)
        {
            registration.Unregister(); // it stopped meanwhile
        }
    }

    /// <summary>It has stopped.</summary>
    public void Release()
    {
        List<CancellationTokenRegistration>? registrations;
        using (_lock.EnterScope())
        {
            _isReleased = true;
            registrations = _registrations;
            _registrations = null;
        }

        registrations?.ForEach(static registration => registration.Unregister());
    }
}
