using NativeThreading.EventLoops;

namespace NativeThreading.Samples.Incident;

/// <summary>Six ways to go wrong. Each lasts until <see cref="End"/>, and the one that keeps the application from answering for 10 seconds at most.</summary>
internal sealed class Incidents(
    [FromKeyedServices("reports")] NativeThreadPool reports,
    [FromKeyedServices("mail")] NativeThreadPool mail,
    [FromKeyedServices("sessions")] EventLoopGroup sessions) : IDisposable
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    private CancellationTokenSource _end = new();
    private volatile string _way = "";

    /// <summary>The endpoint <c>GET /report</c>: quick, unless it is the one that goes wrong.</summary>
    public string Report()
    {
        switch (_way)
        {
            case "block":
                AskSupplier();
                break;
            case "sync-over-async":
                RenderAsync().GetAwaiter().GetResult(); // blocks a thread until another thread of the same pool has run the rest
                break;
            default:
                Compute(2);
                break;
        }

        return "a report";
    }

    /// <summary>Begins a way to go wrong, in place of the one before.</summary>
    public bool TryBegin(string way)
    {
        Action? begin = way switch
        {
            "block" or "sync-over-async" => static () => { },
            "flood" => () => Repeat(TimeSpan.FromMilliseconds(10), Flood),
            "slow-loop" => () => Repeat(s_second, () => sessions.Next().Post(static _ => Thread.Sleep(600), null)),
            "starve-built-in-pool" => () => Repeat(s_second / 2, () => BlockBuiltInPool(_end.Token), rounds: 20),
            "leak" => () => Repeat(TimeSpan.FromMilliseconds(300), () => mail.TryQueueUserWorkItem(WaitForLostReply, _end.Token, preferLocal: false)),
            _ => null,
        };
        if (begin is null)
        {
            return false;
        }

        End();
        _way = way;
        begin();
        return true;
    }

    /// <summary>Ends what went wrong: blocked threads return.</summary>
    public void End()
    {
        _way = "";
        Interlocked.Exchange(ref _end, new CancellationTokenSource()).Cancel();
    }

    public void Dispose() => _end.Cancel();

    private static void Compute(int milliseconds)
    {
        long until = Environment.TickCount64 + milliseconds;
        while (Environment.TickCount64 < until)
        {
            Thread.SpinWait(100);
        }
    }

    /// <summary>A supplier whose service does not answer today.</summary>
    private void AskSupplier() => _end.Token.WaitHandle.WaitOne();

    private static async Task RenderAsync()
    {
        await Task.Delay(500);
        Compute(1); // on the pool: it is what the blocked thread waits for
    }

    /// <summary>More work than the pool's threads can do.</summary>
    private void Flood()
    {
        for (int i = 0; i < 20; i++)
        {
            reports.TryQueueUserWorkItem(static _ => Compute(10), null);
        }
    }

    private static void WaitForLostReply(CancellationToken end) => end.WaitHandle.WaitOne();

    /// <summary>Blocking code in the pool that everything else in .NET shares: two items a second for each processor, each of which blocks a thread until the end.</summary>
    private static void BlockBuiltInPool(CancellationToken end)
    {
        for (int i = 0; i < Environment.ProcessorCount; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(static end => end.WaitHandle.WaitOne(), end, preferLocal: false);
        }
    }

    /// <summary>On a thread of its own, because the built-in pool may starve.</summary>
    private void Repeat(TimeSpan period, Action act, int rounds = int.MaxValue)
    {
        CancellationTokenSource source = _end;
        new Thread(() =>
        {
            for (int round = 0; round < rounds && !source.Token.WaitHandle.WaitOne(period); round++)
            {
                act();
            }

            source.Cancel();
        })
        { IsBackground = true, Name = "incident" }.Start();
    }
}
