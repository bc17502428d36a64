using System.Diagnostics;
using System.Runtime;
using System.Runtime.CompilerServices;
using NativeThreading.Instrumentation;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Lifecycle;

/// <summary>
/// <c>ControlledExecution.Run</c> aborts a thread inside a call that queues. What the call has left undone would keep others waiting indefinitely. So
/// the process ends, or everything continues.
/// </summary>
public sealed class AbortedCallTests
{
    private const string Variable = "NTH_TEST_ABORTED_CALL", OwnPool = "own pool";
    private const int Rounds = 200, Stalled = 5;

    /// <summary>Real aborts. The runtime itself does not survive each of them, and ends in several ways, all by a signal.</summary>
    [Theory]
    [InlineData(OwnPool)]
    [InlineData("other pool")]
    [InlineData("range of other pool")]
    [InlineData("loop")]
    public async Task AbortOfAThreadThatQueues_EndsTheProcess_OrChangesNothing(string call)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(Run, (Variable, call));
        Assert.True(child.ExitCode is 0 or > 128, child.ToString());
    }

    /// <summary>The exception of an abort, thrown in the middle of a change.</summary>
    [Theory]
    [InlineData(OwnPool)]
    [InlineData("other pool")]
    [InlineData("range of other pool")]
    [InlineData("loop")]
    public async Task AbortInTheMiddleOfAChange_EndsTheProcess_WithAMessage(string call)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(Tear, (Variable, call));
        Assert.True(child.ExitCode == 134, child.ToString());
        Assert.Contains("aborted inside a call of NativeThreading", child.Error, StringComparison.Ordinal);
    }

    /// <summary>The same while a worker's push gives items to a thief.</summary>
    [Fact]
    public async Task AbortOfAPushThatGives_EndsTheProcess_WithAMessage()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(TearGive);
        Assert.True(child.ExitCode == 134, child.ToString());
        Assert.Contains("aborted inside a call of NativeThreading", child.Error, StringComparison.Ordinal);
    }

    private static int TearGive()
    {
        var victim = new Victim();
        var thief = new Thread(() => victim.Queues.Gate.Ask(new TornRequest(), Stopwatch.GetTimestamp(), polls: int.MaxValue)) { IsBackground = true };
        thief.Start();
        Deadline.Until(() => victim.Queues.Gate.IsAsked);
        for (int i = 0; i < 10; i++)
        {
            victim.Queues.TryPush(static _ => { }, null, null, preferLocal: true);
        }

        return 0;
    }

    private static int Tear()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "aborted", MaxThreads = 1 });
        using var other = new NativeThreadPool(new NativeThreadPoolOptions { Name = "other", MaxThreads = 2 });
        using var loop = new EventLoop(new EventLoopOptions { Name = "loop" });
        Action queue = Queueing(pool, other, loop);
        Task torn = pool.Run(() =>
        {
            int aborted = Environment.CurrentManagedThreadId; // no other thread is: a monitor that could not be started would end the process without the message
            Action<string> abort = _ => ThrowOn(aborted);
            Failpoints.ThreadStart = abort;
            if (Environment.GetEnvironmentVariable(Variable) != OwnPool)
            {
                Failpoints.Growth = abort; // where a worker's own ring cannot grow, nothing has changed
            }

            pool.Resize(2, pool.MaxBlockedThreads); // not before: the caller of Run may start the second worker, if it finds the first one busy
            try
            {
                for (int i = 0; i < 100_000; i++)
                {
                    queue();
                }
            }
            finally
            {
                Failpoints.Growth = null;
                Failpoints.ThreadStart = null;
            }
        });
        Task.WaitAny([torn], Deadline.Time);
        return 0;

        static void ThrowOn(int thread)
        {
            if (Environment.CurrentManagedThreadId == thread)
            {
                throw AbortException();
            }
        }
    }

    private static Exception AbortException() => (Exception)RuntimeHelpers.GetUninitializedObject(typeof(ThreadAbortException));

    private static int Run()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "aborted", MaxThreads = 2 });
        using var other = new NativeThreadPool(new NativeThreadPoolOptions { Name = "other", MaxThreads = 2 });
        using var loop = new EventLoop(new EventLoopOptions { Name = "loop" });
        Action queue = Queueing(pool, other, loop);
        var random = new Random(1);
        for (int round = 0; round < Rounds; round++)
        {
            int delay = random.Next(0, 400);
            Task aborted = pool.Run(() => Abort(queue, delay));
            Task[] all = [aborted, Task.Run(() => pool.Run(static () => { })), Task.Run(() => other.Run(static () => { })), loop.InvokeAsync(static () => { })];
            if (!Task.WaitAll(all, Deadline.Time))
            {
                return Stalled;
            }
        }

        return 0;
    }

    private static Action Queueing(NativeThreadPool pool, NativeThreadPool other, EventLoop loop)
    {
        int[] range = [.. Enumerable.Range(0, 10)];
        return Environment.GetEnvironmentVariable(Variable) switch
        {
            OwnPool => () => pool.UnsafeQueueUserWorkItem(static _ => { }, null),
            "other pool" => () => other.UnsafeQueueUserWorkItem(static _ => { }, null),
            "range of other pool" => () => new WorkGroup(other).QueueRange(static _ => { }, range),
            _ => () => loop.UnsafePost(static _ => { }, null),
        };
    }

    /// <summary>Aborts the calling thread after some microseconds of queueing.</summary>
    private static void Abort(Action queue, int microseconds)
    {
        using var source = new CancellationTokenSource();
        using var started = new ManualResetEventSlim();
        var canceller = new Thread(() =>
        {
            Deadline.Wait(started);
            long from = Stopwatch.GetTimestamp();
            while (Stopwatch.GetElapsedTime(from).TotalMicroseconds < microseconds)
            {
            }

            source.Cancel();
        });
        canceller.Start();
        try
        {
#pragma warning disable SYSLIB0046 // it is what this is about
            ControlledExecution.Run(
                () =>
                {
                    started.Set();
                    while (true)
                    {
                        queue();
                    }
                },
                source.Token);
#pragma warning restore SYSLIB0046
        }
        catch (OperationCanceledException)
        {
        }

        Deadline.Join(canceller);
    }

    private sealed class Victim
    {
        public WorkerQueues Queues = new();
    }

    private sealed class TornRequest : StealRequest
    {
        public override bool IsGiven => true;

        public override void TakeFrom(ref WorkerQueues victim) => throw AbortException();
    }
}
