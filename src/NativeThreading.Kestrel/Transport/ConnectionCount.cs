namespace NativeThreading.Kestrel.Transport;

/// <summary>How many connections there are, counted by whichever thread opens or ends one.</summary>
internal sealed class ConnectionCount
{
    private int _count;

    /// <summary>A snapshot.</summary>
    public int Now => Volatile.Read(ref _count);

    public void Add(int change) => Interlocked.Add(ref _count, change);
}
