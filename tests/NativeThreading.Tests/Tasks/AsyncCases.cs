using System.Threading.Channels;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>The rows of the table of <see cref="AsyncTableTests"/>.</summary>
internal static partial class AsyncCases
{
    public static Dictionary<string, Func<AsyncTrace, Task>> Staying { get; } = new()
    {
        ["Task.Yield"] = trace => Twice(trace, async () => await Task.Yield()),
        ["Task.Delay"] = trace => Twice(trace, async () => await Task.Delay(1)),
        ["completed task"] = trace => Twice(trace, async () => await Task.CompletedTask),
        ["completed task, ConfigureAwait(false)"] = trace => Twice(trace, async () => await Task.CompletedTask.ConfigureAwait(false)),
        ["completed on a foreign thread"] = trace => Twice(trace, async () => await CompletedOnAForeignThread(trace)),
        ["completed on a foreign thread, asynchronously"] = trace =>
            Twice(trace, async () => await CompletedOnAForeignThread(trace, TaskCreationOptions.RunContinuationsAsynchronously)),
        ["failed on a foreign thread"] = async trace =>
        {
            try
            {
                await FailedOnAForeignThread(trace);
            }
            catch (InvalidOperationException)
            {
                trace.Note();
                await CompletedOnAForeignThread(trace);
                trace.Note();
            }
            finally
            {
                await CompletedOnAForeignThread(trace);
                trace.Note();
            }
        },
        ["Task.Run"] = trace => Twice(trace, async () => await Task.Run(() => { })),
        ["work of another pool"] = trace => Twice(trace, async () => await NativeThreadPool.Shared.Run(() => { })),
        ["ForceYielding and captured context"] = trace => Twice(trace, async () => await Task.CompletedTask.ConfigureAwait(
            ConfigureAwaitOptions.ForceYielding | ConfigureAwaitOptions.ContinueOnCapturedContext)),
        ["async method that leaves by itself"] = trace => Twice(trace, async () => await LeavingMethod(trace)),
        ["WhenAll and WhenAny"] = async trace =>
        {
            await Task.WhenAll(CompletedOnAForeignThread(trace), Task.Delay(1));
            trace.Note();
            await await Task.WhenAny(CompletedOnAForeignThread(trace), Task.Delay(Timeout.Infinite));
            trace.Note();
        },
        ["WaitAsync"] = trace => Twice(trace, async () => await CompletedOnAForeignThread(trace).WaitAsync(Deadline.Time)),
        ["SemaphoreSlim"] = async trace =>
        {
            using var semaphore = new SemaphoreSlim(0);
            OnAForeignThread(trace, () => semaphore.Release());
            await semaphore.WaitAsync();
            trace.Note();
        },
        ["channel"] = async trace =>
        {
            var channel = Channel.CreateUnbounded<int>();
            OnAForeignThread(trace, () => channel.Writer.TryWrite(1));
            await channel.Reader.ReadAsync();
            trace.Note();
        },
        ["PeriodicTimer"] = async trace =>
        {
            using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(1));
            await timer.WaitForNextTickAsync();
            trace.Note();
        },
        ["async enumerable"] = async trace =>
        {
            await foreach (int _ in Numbers(trace))
            {
                trace.Note();
            }

            trace.Note();
        },
        ["await using"] = async trace =>
        {
            await using (new SlowlyDisposed(trace))
            {
                trace.Note();
            }

            trace.Note();
        },
        ["Parallel.ForEachAsync with the scheduler"] = async trace =>
        {
            await Parallel.ForEachAsync(
                Enumerable.Range(0, 20),
                new ParallelOptions { TaskScheduler = trace.Pool.Scheduler },
                async (_, _) =>
                {
                    trace.Note();
                    await CompletedOnAForeignThread(trace);
                    trace.Note();
                });
            trace.Note();
        },
        ["WorkGroup.WaitAsync"] = async trace =>
        {
            var group = new WorkGroup(trace.Pool);
            group.QueueRange(static _ => Thread.Yield(), new int[50]);
            await group.WaitAsync();
            trace.Note();
        },
        ["SwitchTo its own pool"] = trace => Twice(trace, async () => await trace.Pool.SwitchTo()),
    };

    public static Dictionary<string, Func<AsyncTrace, Task>> Leaving { get; } = new()
    {
        ["ConfigureAwait(false) past a foreign completion"] = trace => Leave(trace, async note =>
        {
            await CompletedOnAForeignThread(trace).ConfigureAwait(false);
            note();
            await Task.Yield(); // there is no way back by itself
            note();
        }),
        ["ForceYielding without captured context"] = trace => Leave(trace, async note =>
        {
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            note();
        }),
        ["inside Task.Run"] = trace => Leave(trace, async note => await Task.Run(async () =>
        {
            note();
            await Task.Yield();
            note();
        })),
        ["Task.Factory.StartNew without a scheduler"] = trace => Leave(trace, async note => await Task.Factory.StartNew(note)),
        ["ContinueWith without a scheduler"] = trace => Leave(trace, async note => await Task.CompletedTask.ContinueWith(_ => note())),
        ["SwitchTo another pool"] = trace => Leave(trace, async note =>
        {
            await NativeThreadPool.Shared.SwitchTo();
            note();
        }),
        ["Parallel.ForEachAsync without a scheduler"] = trace => Leave(trace, async note => await Parallel.ForEachAsync(
            Enumerable.Range(0, 4),
            (_, _) =>
            {
                note();
                return ValueTask.CompletedTask;
            })),
    };
}
