using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.EventLoops;

/// <summary>The loop as C sees it. Nothing is measured here: the driver runs ours, libuv and the floor alike.</summary>
internal static class NativeRows
{
    public static IEnumerable<Row> Of(NativeDriver driver, Peers peers)
    {
        yield return Of("create-destroy");
        yield return Of("wake/eventfd");
        yield return Of("wake/own-thread") with { Floor = null, NoRatio = Rows.ReportOnly };
        foreach (Row row in peers.CrossThread("native", peers.Latencies(NativeDriver.Ours)))
        {
            yield return row with { Note = $"{Rows.Work("wake/cross-thread")}; {peers.Note}" };
        }

        yield return Of("pipe-add-del") with { NoRatio = Rows.Deferred };
        yield return WithoutFloor("timer/1", Rows.Work("timer"));
        foreach (int size in Rows.Batches)
        {
            yield return WithoutFloor($"timer-batch/{size}", Rows.Work("timer"));
        }

        yield return WithoutFloor("timer/armed-100000", Rows.Work("timer/armed-100000"));

        Row Of(string name) => WithoutFloor(name, Rows.Work(name)) with { Floor = peers.Floor(name) };

        Row WithoutFloor(string name, string work) =>
            new($"native/{name}", "ns", Better.Lower, driver.Contender(name, NativeDriver.Ours, Contender.Native), peers.Libuv(name))
            {
                Note = $"{work}; {peers.Note}",
            };
    }
}
