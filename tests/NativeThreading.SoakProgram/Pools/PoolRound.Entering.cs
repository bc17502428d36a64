namespace NativeThreading.SoakProgram.Pools;

/// <summary>The forms in which raw items are queued.</summary>
internal sealed partial class PoolRound
{
    /// <summary>How many ways of queueing a raw item <see cref="Queue"/> knows. The context flows in the first three.</summary>
    public const int Forms = 9;

    /// <summary>Queues a raw item in one of <see cref="Forms"/> ways. From any thread.</summary>
    public bool Queue(int form, string kind, Action body) => Offer(kind, ticket =>
    {
        void Item() => Run(ticket, body);
        bool isAccepted = true;
        switch (form)
        {
            case 0:
                Pool.QueueUserWorkItem(_ => Item());
                break;
            case 1:
                Pool.QueueUserWorkItem(static item => item(), Item, preferLocal: true);
                break;
            case 2:
                Pool.QueueUserWorkItem(static state => state.Item(), new ItemStruct(Item), preferLocal: false);
                break;
            case 3:
                Pool.UnsafeQueueUserWorkItem(_ => Item(), null);
                break;
            case 4:
                Pool.UnsafeQueueUserWorkItem(static item => item(), Item, preferLocal: true);
                break;
            case 5:
                Pool.UnsafeQueueUserWorkItem(new ItemObject(Item), preferLocal: false);
                break;
            case 6:
                Pool.UnsafeQueueUserWorkItem(new ItemObject(Item), preferLocal: true);
                break;
            case 7:
                isAccepted = Pool.TryQueueUserWorkItem(_ => Item(), null);
                break;
            default:
                isAccepted = Pool.TryQueueUserWorkItem(static item => item(), Item, preferLocal: true);
                break;
        }

        if (!isAccepted)
        {
            ticket.Refuse();
        }
    });

    private sealed class ItemObject(Action item) : IThreadPoolWorkItem
    {
        public void Execute() => item();
    }

    private readonly record struct ItemStruct(Action Item);
}
