using NativeThreading.Platform;

namespace NativeThreading.Shutdown;

/// <summary>The tokens that callers passed to a shutdown. A token that lives longer must not keep the stopped pool or loop alive (T91).</summary>
internal sealed class StopTokens
{
    private readonly UninterruptedLock _lock = new();
    private List<CancellationTokenRegistration>? _registrations; // created for the first token: the framework has no compiled code for it
    private bool _isReleased;

    /// <summary>Registers a callback for the cancellation of the token. It does not run after the stop.</summary>
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
            registration.Unregister(); // the pool or loop stopped meanwhile
        }
    }

    /// <summary>The pool or loop has stopped: drops the registrations.</summary>
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
