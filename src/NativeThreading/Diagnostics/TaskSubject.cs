namespace NativeThreading.Diagnostics;

/// <summary>The delegate of the task that this thread is about to queue. A task does not tell its delegate, so whoever creates one
/// says it here, while items are watched.</summary>
internal static class TaskSubject
{
    [ThreadStatic]
    private static Delegate? t_current;

    public static Delegate? Current => t_current;

    /// <summary>Until the scope is disposed. In it one task is queued, and no code of users runs.</summary>
    public static Scope Is(Delegate subject)
    {
        t_current = subject;
        return new Scope(isSet: true);
    }

    /// <summary>Its default says nothing.</summary>
    public readonly ref struct Scope(bool isSet)
    {
        public void Dispose()
        {
            if (isSet)
            {
                t_current = null;
            }
        }
    }
}
