using NativeThreading.Workloads.Order;

namespace NativeThreading.Workloads.Scale;

/// <summary>A thread outside that sends some requests at once, sleeps until all are answered, and sends the next ones.</summary>
internal sealed class ScaleClient(OwnPool pool, int requests) : IDisposable
{
    private static readonly int s_steps = BusyWork.StepsFor(ScalePlan.RequestItemMicroseconds);

    private readonly SemaphoreSlim _answered = new(0);
    private int _open;

    /// <summary>Sends all requests; <see langword="false"/> if one was not answered in time.</summary>
    public bool Run(TimeSpan deadline)
    {
        for (int sent = 0; sent < requests; sent += ScalePlan.RequestsAtOnce)
        {
            Volatile.Write(ref _open, ScalePlan.RequestsAtOnce);
            for (int i = 0; i < ScalePlan.RequestsAtOnce; i++)
            {
                pool.UnsafeQueue(Request.Begin, new Request(this), preferLocal: false);
            }

            if (!_answered.Wait(deadline))
            {
                return false;
            }
        }

        return true;
    }

    public void Dispose() => _answered.Dispose();

    private void EndOne()
    {
        if (Interlocked.Decrement(ref _open) == 0)
        {
            _answered.Release();
        }
    }

    private sealed class Request(ScaleClient client)
    {
        public static readonly Action<Request> Begin = static request => request.RunFirst();

        private static readonly Action<Request> s_child = static request => request.RunChild();
        private static readonly Action<Request> s_last = static request => request.RunLast();

        private int _children = ScalePlan.RequestChildren;

        private OwnPool Pool { get; } = client.PoolOfRequests;

        private void RunFirst()
        {
            BusyWork.Compute(s_steps);
            for (int i = 0; i < ScalePlan.RequestChildren; i++)
            {
                Pool.UnsafeQueue(s_child, this, preferLocal: true);
            }
        }

        private void RunChild()
        {
            BusyWork.Compute(s_steps);
            if (Interlocked.Decrement(ref _children) == 0)
            {
                Pool.UnsafeQueue(s_last, this, preferLocal: false);
            }
        }

        private void RunLast()
        {
            BusyWork.Compute(s_steps);
            client.EndOne();
        }
    }

    private OwnPool PoolOfRequests => pool;
}
