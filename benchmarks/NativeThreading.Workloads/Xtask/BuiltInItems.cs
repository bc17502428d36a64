using System.Diagnostics.CodeAnalysis;

namespace NativeThreading.Workloads.Xtask;

/// <summary>Raw items of the built-in pool, the last of which sets an event: the cheapest way to wait for many of them.</summary>
internal readonly struct BuiltInItems(ItemWork work, int count) : IItemGroup
{
    private static readonly Action<State> s_nothing = static state => state.End();

    private static readonly Action<State> s_increment = static state =>
    {
        ItemWork.Increment(state.Work);
        state.End();
    };

    private readonly State _state = new(work);
    private readonly Action<State> _callback = work.Increments ? s_increment : s_nothing;

    public long Executed => _state.Executed;

    public void Begin(int announced) => _state.Begin(announced);

    public void Queue(int index) => ThreadPool.UnsafeQueueUserWorkItem(_callback, _state, preferLocal: false);

    public void QueueAll()
    {
        for (int i = 0; i < count; i++)
        {
            Queue(i);
        }
    }

    public bool Wait() => _state.Wait();

    [SuppressMessage("Design", "CA1001", Justification = "The event owns nothing while its handle is not used.")]
    private sealed class State(ItemWork work)
    {
        private readonly ManualResetEventSlim _ended = new();
        private long _announced;
        private int _remaining;

        public ItemWork Work { get; } = work;

        /// <summary>Negative remainders are items that ran twice.</summary>
        public long Executed => _announced - Volatile.Read(ref _remaining);

        public void Begin(int count)
        {
            _announced += count;
            _ended.Reset();
            Volatile.Write(ref _remaining, count);
        }

        public void End()
        {
            if (Interlocked.Decrement(ref _remaining) == 0)
            {
                _ended.Set();
            }
        }

        public bool Wait() => _ended.Wait(ItemWork.Deadline);
    }
}
