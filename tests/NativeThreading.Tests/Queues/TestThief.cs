using System.Diagnostics;
using NativeThreading.Queues;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Queues;

/// <summary>A thief with queues of its own, reduced to what it asks for. One thread uses it.</summary>
internal sealed class TestThief : StealRequest
{
    /// <summary>Polls that last until an answer comes: the thief never tries to enter by force.</summary>
    public const int Endless = int.MaxValue;

    public WorkerQueues Own = new();

    public override bool IsGiven => true;

    /// <summary>Items that it wants; 1 for the front.</summary>
    public int Most { get; init; } = 1;

    /// <summary>Called by the thread that moves the items, before it does.</summary>
    public Action? Moving { get; set; }

    public override void TakeFrom(ref WorkerQueues victim)
    {
        Moving?.Invoke();
        Moved = Most == 1 ? victim.MoveFront(ref Own) : victim.MoveHalf(ref Own, Most, localFirst: false).Count;
    }

    /// <summary>As the thief: steals, and takes the item.</summary>
    public bool TrySteal(ref WorkerQueues victim, out int number)
    {
        WorkItem item = default;
        bool taken = victim.TryStealFor(this, Stopwatch.GetTimestamp()) && Own.TryTakeOf(lane: false, ref item);
        number = taken ? item.Number() : -1;
        return taken;
    }
}

/// <summary>The queues of a worker, and what happens at their gate.</summary>
internal sealed class GatedQueues
{
    public WorkerQueues Own = new();
    private int _answer = -1;

    public ref StealGate Gate => ref Own.Gate;

    public static GatedQueues With(int count, bool local = true)
    {
        var queues = new GatedQueues();
        for (int number = 0; number < count; number++)
        {
            Assert.True(queues.TryPush(number, local));
        }

        return queues;
    }

    public bool TryPush(int number, bool local = true) => Own.TryPush(Rings.Callback, number, null, local);

    /// <summary>As the owner.</summary>
    public int Take()
    {
        WorkItem item = default;
        return Own.TryTake(ref item) ? item.Number() : -1;
    }

    /// <summary>A thief asks on a thread of its own, and has no processor until the owner answers; meanwhile the owner acts.</summary>
    public GateAnswer AskWhile(StealRequest request, Action owner)
    {
        _answer = -1;
        Race.Run(
            () =>
            {
                GateAnswer answer = Gate.Ask(request, Stopwatch.GetTimestamp(), TestThief.Endless);
                if (answer == GateAnswer.Entered)
                {
                    Gate.Leave();
                }

                Volatile.Write(ref _answer, (int)answer);
            },
            () =>
            {
                Deadline.Until(() => Gate.IsAsked);
                owner();
            });
        return (GateAnswer)_answer;
    }

    /// <summary>Later than any request that stands may be.</summary>
    public static long MuchLater => Stopwatch.GetTimestamp() + SpinTuning.RequestAge + (3600 * Stopwatch.Frequency);
}
