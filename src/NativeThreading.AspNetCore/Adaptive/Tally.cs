namespace NativeThreading.AspNetCore.Adaptive;

/// <summary>
/// What the judged pieces of code on a thread have taken so far. Endpoints run inside the code around them, which is not to be blamed for
/// what they take. Only for its thread.
/// </summary>
internal sealed class Tally
{
    [ThreadStatic]
    private static Tally? t_current;

    public static Tally Current => t_current ??= new Tally();

    /// <summary>Nanoseconds in which judged pieces ran.</summary>
    public long Wall { get; set; }

    /// <summary>Of these, at most so many on a processor.</summary>
    public long Processor { get; set; }

    /// <summary>Whether somebody was blamed for that this thread's loop was taken over. What runs there afterwards holds up nobody.</summary>
    public bool IsBlamed { get; set; }

    /// <summary>Whether the piece that ends now has lost the loop that its thread was driving.</summary>
    public bool TryBlame()
    {
        if (IsBlamed || EventLoop.Current is not null)
        {
            return false;
        }

        return IsBlamed = true;
    }
}
