using NativeThreading.Interop;
using NativeThreading.Waiting;

namespace NativeThreading.Workers;

/// <summary>The worker's thread from its first instruction to its last.</summary>
internal sealed unsafe partial class Worker
{
    private Parker? _parker;
    private Thread? _thread;
    private bool _isLooking = true;

    /// <summary>
    /// Starts the thread, which takes over the outstanding request. Throws what starting a thread throws; nothing has
    /// happened then. The thread inherits no context from the one that happens to start it (T34).
    /// </summary>
    public void Start()
    {
        _parker = new Parker(_signal);
        try
        {
            ThreadStarter.Start(Main, Name, _pool.MaxStackSize);
        }
        catch
        {
            _parker.Free();
            throw;
        }
    }

    /// <summary>
    /// Whether the worker is between two items, or before its first: it will look at all queues before it runs one, and
    /// after it has announced itself idle, before it parks.
    /// </summary>
    public bool IsLooking => Volatile.Read(ref _isLooking);

    /// <summary>What a producer stores as an item's context: the current one, unless it is the default.</summary>
    public object? FlowingContext()
    {
        ExecutionContext? context = ExecutionContext.Capture();
        return context == _defaultContext ? null : context;
    }

    // Only keeps producers from asking for another worker; whoever sees it too late asks for one too many. So no fence.
    private void BeginLooking()
    {
        Chaos.Point("Worker.BeginLooking");
        Volatile.Write(ref _isLooking, true);
        _pool.BeginsToLook(this);
    }

    /// <summary>Comes before the look for more than was taken, and before the last look of one that parks.</summary>
    private void EndLooking()
    {
        if (_isLooking)
        {
            // Fence between this and the look that follows: pairs with the producer's between publication and read.
            Chaos.Point("Worker.EndLooking");
            Volatile.Write(ref _isLooking, false);
            Interlocked.MemoryBarrier();
            Chaos.Point("Worker.EndLooking, ended");
        }
    }

    /// <summary>Its thread, once that runs.</summary>
    public Thread? Thread => Volatile.Read(ref _thread);

    private void Main()
    {
        t_current = this;
        _thread = Thread.CurrentThread;
        _defaultContext = ExecutionContext.Capture()!;
        DefaultContext.Publish(_defaultContext);
        _pool.ApplyPriority();
        Volatile.Write(ref _probe, ThreadProbe.OfCurrentThread());

        bool ended = false;
        try
        {
            Chaos.Point("Worker.Main, started");
            _signal.Acknowledge();
            do
            {
                RunGuarded();
            }
            while (WaitForWork());

            ended = true;
        }
        finally
        {
            // Reached without "ended" where the runtime's handler of unhandled exceptions lets the process live: this
            // thread ends, its items and counts must not.
            if (!ended)
            {
                _completed.Value++;
                FlushGroup();
            }

            Chaos.Point("Worker.Main, ends");
            EndHoldingForGood();
            _parker!.Free();
            _probe?.Dispose();
            t_current = null;
            Interruption.Drop(); // the last one out may complete the shutdown, through locks of the runtime
            _pool.WorkerEnded(this, abnormally: !ended);
        }
    }

    private void RunGuarded()
    {
        while (true)
        {
            try
            {
                Dispatch();
                return;
            }
            catch (Exception exception) when (_pool.Handles(exception))
            {
                // Only raw items get here: tasks and groups keep their exceptions. The item has ended.
                Completed();
            }
        }
    }
}
