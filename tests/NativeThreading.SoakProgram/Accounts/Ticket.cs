namespace NativeThreading.SoakProgram.Accounts;

/// <summary>What an item carries: it runs once, or it is refused, or it is one of those that the end of its pool counted as dropped.</summary>
internal sealed class Ticket
{
    private const int Open = 0;
    private const int HasRunState = 1;
    private const int Refused = 2;

    private int _state;

    public Ticket(Account account, string kind)
    {
        Account = account;
        Kind = kind;
    }

    public Account Account { get; }

    /// <summary>Which ingredient it belongs to.</summary>
    public string Kind { get; }

    public bool HasRun => Volatile.Read(ref _state) == HasRunState;

    public bool IsOpen => Volatile.Read(ref _state) == Open;

    /// <summary>The item begins.</summary>
    public void Run()
    {
        int before = Interlocked.CompareExchange(ref _state, HasRunState, Open);
        if (before == Open)
        {
            Account.Ran(this);
        }
        else
        {
            Account.Report(before == HasRunState ? $"{Kind}: an item ran twice" : $"{Kind}: an item ran that had been refused");
        }
    }

    /// <summary>The item begins, unless it has been settled: for what may race its own end.</summary>
    public bool TryRun()
    {
        bool isFirst = Interlocked.CompareExchange(ref _state, HasRunState, Open) == Open;
        if (isFirst)
        {
            Account.Ran(this);
        }

        return isFirst;
    }

    /// <summary>It will not run, unless it has.</summary>
    public bool TryRefuse()
    {
        bool isFirst = Interlocked.CompareExchange(ref _state, Refused, Open) == Open;
        if (isFirst)
        {
            Account.WasRefused();
        }

        return isFirst;
    }

    /// <summary>It will not run: the call that queued it has reported that.</summary>
    public void Refuse()
    {
        int before = Interlocked.CompareExchange(ref _state, Refused, Open);
        if (before == Open)
        {
            Account.WasRefused();
        }
        else
        {
            Account.Report(before == HasRunState ? $"{Kind}: an item was refused that had run" : $"{Kind}: an item was refused twice");
        }
    }
}
