namespace NativeThreading.Workloads.Allocation;

/// <summary>Every way of queueing an item on one pool.</summary>
internal static class QueueingForms<TPool>
    where TPool : struct, IPool
{
    private static readonly WaitCallback s_untyped = static state => ((Item)state!).Step();
    private static readonly Action<Item> s_typed = static item => item.Step();
    private static readonly Action<KeyValuePair<Item, int>> s_value = static pair => pair.Key.Step();

    public static Action<Item> Get(string form) => form switch
    {
        "QueueUserWorkItem(callback)" => static item => default(TPool).Queue(item.Callback),
        "QueueUserWorkItem(callback,object)" => static item => default(TPool).Queue(s_untyped, item),
        "QueueUserWorkItem<class>(global)" => static item => default(TPool).Queue(s_typed, item, preferLocal: false),
        "QueueUserWorkItem<class>(local)" => static item => default(TPool).Queue(s_typed, item, preferLocal: true),
        "QueueUserWorkItem<struct>(local)" => static item => default(TPool).Queue(s_value, new(item, 0), preferLocal: true),
        "UnsafeQueueUserWorkItem(callback,object)" => static item => default(TPool).UnsafeQueue(s_untyped, item),
        "UnsafeQueueUserWorkItem<class>(global)" => static item => default(TPool).UnsafeQueue(s_typed, item, preferLocal: false),
        "UnsafeQueueUserWorkItem<class>(local)" => static item => default(TPool).UnsafeQueue(s_typed, item, preferLocal: true),
        "UnsafeQueueUserWorkItem(item,global)" => static item => default(TPool).UnsafeQueue(item, preferLocal: false),
        "UnsafeQueueUserWorkItem(item,local)" => static item => default(TPool).UnsafeQueue(item, preferLocal: true),
        _ => throw new ArgumentOutOfRangeException(nameof(form), form, "unknown form"),
    };
}
