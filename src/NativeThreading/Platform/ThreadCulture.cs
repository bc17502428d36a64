using System.Globalization;

namespace NativeThreading.Platform;

/// <summary>The cultures of a pool's threads. The framework keeps a culture in the execution context. So code that arrives with a context without a
/// culture would run with that of the process; here it gets the pool's.</summary>
/// <remarks>A context does not say whether it has a culture. It counts as having none if the thread's culture is the same object
/// that a new thread has.</remarks>
internal sealed class ThreadCulture(CultureInfo? culture, CultureInfo? uiCulture)
{
    [ThreadStatic]
    private static ThreadCulture? t_current;

    private static bool s_isUsed; // by any pool of the process

    [ThreadStatic]
    private static (CultureInfo? Culture, CultureInfo? UICulture) t_unset;

    /// <summary>The cultures, or <see langword="null"/> if there is neither.</summary>
    public static ThreadCulture? Of(CultureInfo? culture, CultureInfo? uiCulture) =>
        culture is null && uiCulture is null ? null : new ThreadCulture(culture, uiCulture);

    /// <summary>Makes them those of the calling thread, which is new.</summary>
    public void Begin()
    {
        t_current = this;
        t_unset = (CultureInfo.CurrentCulture, CultureInfo.CurrentUICulture);
        Volatile.Write(ref s_isUsed, true);
        Apply();
    }

    /// <summary>Restores a context that an item brings.</summary>
    public static void Restore(ExecutionContext context)
    {
        ExecutionContext.Restore(context);
        ApplyToContext();
    }

    /// <summary>The calling thread has got the context of an item.</summary>
    public static void ApplyToContext()
    {
        if (s_isUsed)
        {
            t_current?.Apply();
        }
    }

    private void Apply()
    {
        if (culture is not null && ReferenceEquals(CultureInfo.CurrentCulture, t_unset.Culture))
        {
            CultureInfo.CurrentCulture = culture;
        }

        if (uiCulture is not null && ReferenceEquals(CultureInfo.CurrentUICulture, t_unset.UICulture))
        {
            CultureInfo.CurrentUICulture = uiCulture;
        }
    }
}
