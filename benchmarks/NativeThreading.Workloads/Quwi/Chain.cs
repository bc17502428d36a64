using System.Runtime.CompilerServices;

namespace NativeThreading.Workloads.Quwi;

/// <summary>A work item that queues itself again until it has run <c>depth</c> times.</summary>
internal sealed class Chain(Producer producer, int depth)
{
    private int _runs;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Step<TForm>(Chain chain)
        where TForm : struct, IForm
    {
        // The count is of executions, not of intended ones: a step that ran twice or never shows in the producer's
        // total (T122). Steps of one chain follow each other, so a plain field is enough.
        int runs = ++chain._runs;
        if (runs < chain.Depth)
        {
            TForm.Queue(chain);
        }
        else
        {
            chain.Producer.Finished(runs);
        }
    }

    private Producer Producer { get; } = producer;

    private int Depth { get; } = depth;
}
