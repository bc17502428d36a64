using System.Collections.Concurrent;

namespace NativeThreading.SoakProgram.Accounts;

/// <summary>
/// The items of one pool or loop. Each has a ticket; in the end every ticket has been settled in exactly one way, or is one
/// of those that the shutdown says it dropped. Thread-safe.
/// </summary>
/// <param name="name">Whose account it is.</param>
/// <param name="report">Told of each thing that must not be.</param>
internal sealed class Account(string name, Action<string> report)
{
    private readonly ConcurrentQueue<Ticket> _tickets = [];
    private long _issued;
    private long _ran;
    private long _refused;
    private long _running;
    private int _isClosed;

    public long Issued => Volatile.Read(ref _issued);

    public long RanCount => Volatile.Read(ref _ran);

    public long RefusedCount => Volatile.Read(ref _refused);

    /// <summary>Tickets that are neither run nor refused. Exact once no thread issues any more.</summary>
    public long OpenCount => Issued - RanCount - RefusedCount;

    /// <summary>
    /// Whether nothing will settle any more, or be queued: as many tickets are open as were dropped, or fewer, and no item
    /// runs that could queue others.
    /// </summary>
    /// <param name="dropped">What the shutdown counted.</param>
    public bool IsAtRest(long dropped)
    {
        long issued = Issued;
        return Volatile.Read(ref _running) == 0
            && OpenCount <= dropped
            && Volatile.Read(ref _running) == 0 // one that began after the first look has ended, and queued nothing
            && issued == Issued;
    }

    /// <summary>An item begins that may queue others until <see cref="End"/>. Before its ticket is settled.</summary>
    public void Begin() => Interlocked.Increment(ref _running);

    public void End() => Interlocked.Decrement(ref _running);

    /// <summary>An item is about to be queued. An interrupt that is thrown here has issued nothing.</summary>
    public Ticket Issue(string kind)
    {
        var ticket = new Ticket(this, kind);
        _tickets.Enqueue(ticket);
        Interlocked.Increment(ref _issued);
        if (Volatile.Read(ref _isClosed) != 0)
        {
            Report($"{kind}: an item was queued after the account had been closed");
        }

        return ticket;
    }

    /// <summary>Closes the account. What runs or is refused from now on is reported.</summary>
    /// <param name="dropped">What the shutdown counted.</param>
    /// <returns>Whether it balances; if not, that has been reported.</returns>
    public bool Close(long dropped)
    {
        Volatile.Write(ref _isClosed, 1);
        long open = OpenCount;
        if (open == dropped)
        {
            return true;
        }

        string kinds = string.Join(", ", _tickets.Where(static t => t.IsOpen).CountBy(static t => t.Kind).Select(static k => $"{k.Value} of {k.Key}"));
        Report($"{Math.Abs(open - dropped)} items {(open > dropped ? "were lost" : "were counted as dropped, and ran or were refused")}: "
            + $"{Issued} queued, {RanCount} ran, {RefusedCount} were refused, the shutdown dropped {dropped}; open: {kinds}");
        return false;
    }

    internal void Ran(Ticket ticket)
    {
        Interlocked.Increment(ref _ran);
        ReportIfClosed(ticket.Kind, "ran");
    }

    internal void WasRefused()
    {
        Interlocked.Increment(ref _refused);
        ReportIfClosed("an item", "was refused");
    }

    public override string ToString() => name;

    /// <summary>Something must not be that concerns this account's pool or loop.</summary>
    public void Report(string error) => report($"{name}: {error}");

    /// <summary>Pairs with Close: one of the two sees the other, so that nothing settles unseen behind the balance.</summary>
    private void ReportIfClosed(string kind, string what)
    {
        if (Volatile.Read(ref _isClosed) != 0)
        {
            Report($"{kind}: {what} after the account had been closed");
        }
    }
}
