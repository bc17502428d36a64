using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.EventLoops;

/// <summary>The same through <see cref="EventLoop"/>: real loops, driven by what their callbacks ask for.</summary>
internal sealed class ManagedRows(Peers peers) : IDisposable
{
    public const string CreateDestroy = "csharp/create-destroy";

    private readonly List<IDisposable> _owned = [];

    public IEnumerable<Row> All()
    {
        yield return new Row(CreateDestroy, "ns", Better.Lower, Native(LoopLifetime.OfLoop), peers.Libuv("create-destroy/thread"))
        {
            Floor = new Contender(Contender.Floor, LoopLifetime.OfThread),
            Note = Note("create a loop and dispose of it; libuv: create a thread, a loop on it, close it, join. The floor is a thread "
                + "that does nothing, started and joined"),
        };
        yield return Of("wake/eventfd", new KernelWakeChain(), Rows.Work("wake/eventfd")
            + ". From C# a timer due at once begins each turn, and is part of the time") with { Floor = peers.Floor("wake/eventfd") };
        yield return Of("wake/own-thread", new OwnWakeChain(), "a callback that posts itself; up to 256 of them share a turn")
            with { NoRatio = Rows.ReportOnly };

        CrossThreadWake wake = Own(new CrossThreadWake());
        foreach (Row row in peers.CrossThread("csharp", new WakeLatencies(Contender.Native, wake.Run)))
        {
            yield return row with { Note = Note(Rows.Work("wake/cross-thread")) };
        }

        yield return Of("pipe-add-del", new RegistrationChain(), Rows.Work("pipe-add-del"))
            with { Floor = peers.Floor("pipe-add-del"), NoRatio = Rows.Deferred };
        yield return Of("timer/1", new TimerChain(1), Rows.Work("timer"));
        foreach (int size in Rows.Batches)
        {
            yield return Of($"timer-batch/{size}", new TimerChain(size), Rows.Work("timer"));
        }

        yield return Of("timer/armed-100000", new ChurnChain(), Rows.Work("timer/armed-100000"));

        NativeThreadPool pool = Own(new NativeThreadPool(new NativeThreadPoolOptions { Name = "offload", MaxThreads = OffloadChain.Workers }));
        foreach (int size in (int[])[1, .. Rows.Batches])
        {
            yield return Of($"offload/{size}", new OffloadChain(pool, size), Rows.Work("offload"));
        }
    }

    public void Dispose()
    {
        foreach (IDisposable owned in Enumerable.Reverse(_owned))
        {
            owned.Dispose();
        }
    }

    private static Contender Native(Func<Sample> run) => new(Contender.Native, run);

    private string Note(string work) => $"{work}; {peers.Note}";

    private Row Of(string name, TurnChain chain, string work) =>
        new($"csharp/{name}", "ns", Better.Lower, Native(Own(chain).Run), peers.Libuv(name)) { Note = Note(work) };

    private T Own<T>(T owned)
        where T : IDisposable
    {
        _owned.Add(owned);
        return owned;
    }
}
