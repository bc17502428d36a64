using System.Threading.Channels;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Async;

/// <summary>The rows of the table of <see cref="LoopAsyncTableTests"/>.</summary>
internal static partial class LoopAsyncCases
{
    public static Dictionary<string, Func<LoopTrace, Task>> Staying { get; } = new()
    {
        ["Task.Yield"] = trace => Twice(trace, async () => await Task.Yield()),
        ["Task.Delay"] = trace => Twice(trace, async () => await Task.Delay(1)),
        ["Task.Delay on the loop"] = trace => Twice(trace, async () => await Task.Delay(TimeSpan.FromMilliseconds(1), trace.Loop.TimeProvider)),
        ["completed task"] = trace => Twice(trace, async () => await Task.CompletedTask),
        ["completed task, ConfigureAwait(false)"] = trace => Twice(trace, async () => await Task.CompletedTask.ConfigureAwait(false)),
        ["completed on a foreign thread"] = trace => Twice(trace, async () => await trace.CompletedOnAForeignThread()),
        ["completed on a foreign thread, asynchronously"] = trace =>
            Twice(trace, async () => await trace.CompletedOnAForeignThread(TaskCreationOptions.RunContinuationsAsynchronously)),
        ["completed on the loop"] = trace => Twice(trace, async () => await CompletedOnTheLoop(trace, TaskCreationOptions.None)),
        ["completed on the loop, asynchronously"] = trace =>
            Twice(trace, async () => await CompletedOnTheLoop(trace, TaskCreationOptions.RunContinuationsAsynchronously)),
        ["failed on a foreign thread"] = async trace =>
        {
            try
            {
                await trace.FailedOnAForeignThread();
            }
            catch (InvalidOperationException)
            {
                trace.Note();
                await trace.CompletedOnAForeignThread();
                trace.Note();
            }
            finally
            {
                await trace.CompletedOnAForeignThread();
                trace.Note();
            }
        },
        ["Task.Run"] = trace => Twice(trace, async () => await Task.Run(() => { })),
        ["work of a pool"] = trace => Twice(trace, async () => await trace.Pool.Run(() => { })),
        ["offloaded work"] = trace => Twice(trace, async () => await trace.Loop.OffloadAsync(trace.Pool, () => { })),
        ["InvokeAsync"] = trace => Twice(trace, async () => await trace.Loop.InvokeAsync(() => { })),
        ["nested InvokeAsync"] = trace => Twice(trace, async () => await trace.Loop.InvokeAsync(
            async () => await trace.Loop.InvokeAsync(async () =>
            {
                trace.Note();
                await Task.Yield();
                trace.Note();
            }))),
        ["InvokeAsync of another loop"] = trace => Twice(trace, async () =>
        {
            await using var other = new EventLoop();
            await other.InvokeAsync(async () => await Task.Yield());
        }),
        ["ForceYielding and captured context"] = trace => Twice(trace, async () => await Task.CompletedTask.ConfigureAwait(
            ConfigureAwaitOptions.ForceYielding | ConfigureAwaitOptions.ContinueOnCapturedContext)),
        ["async method that leaves by itself"] = trace => Twice(trace, async () => await LeavingMethod(trace)),
        ["WhenAll and WhenAny"] = async trace =>
        {
            await Task.WhenAll(trace.CompletedOnAForeignThread(), Task.Delay(1));
            trace.Note();
            await await Task.WhenAny(trace.CompletedOnAForeignThread(), Task.Delay(Timeout.Infinite));
            trace.Note();
        },
        ["WaitAsync"] = trace => Twice(trace, async () => await trace.CompletedOnAForeignThread().WaitAsync(Deadline.Time)),
        ["SemaphoreSlim"] = async trace =>
        {
            using var semaphore = new SemaphoreSlim(0);
            trace.OnAForeignThread(() => semaphore.Release());
            await semaphore.WaitAsync();
            trace.Note();
        },
        ["channel"] = async trace =>
        {
            var channel = Channel.CreateUnbounded<int>();
            trace.OnAForeignThread(() => channel.Writer.TryWrite(1));
            await channel.Reader.ReadAsync();
            trace.Note();
        },
        ["PeriodicTimer on the loop"] = async trace =>
        {
            using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(1), trace.Loop.TimeProvider);
            await timer.WaitForNextTickAsync();
            trace.Note();
        },
        ["async enumerable and await using"] = async trace =>
        {
            await foreach (int _ in Numbers(trace))
            {
                trace.Note();
            }

            await using (new SlowlyDisposed(trace))
            {
                trace.Note();
            }

            trace.Note();
        },
    };

    public static Dictionary<string, Func<LoopTrace, Task>> Leaving { get; } = new()
    {
        ["ConfigureAwait(false) past a foreign completion"] = trace => Leave(trace, async note =>
        {
            await trace.CompletedOnAForeignThread().ConfigureAwait(false);
            note();
            await Task.Yield(); // there is no way back by itself
            note();
        }),
        ["ConfigureAwait(false) past a completion on the loop"] = trace => Leave(trace, async note =>
        {
            await CompletedOnTheLoop(trace, TaskCreationOptions.None).ConfigureAwait(false);
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
        ["inside offloaded work"] = trace => Leave(trace, async note => await trace.Loop.OffloadAsync(trace.Pool, async () =>
        {
            note();
            await Task.Yield();
            note();
        }).ConfigureAwait(false)),
        ["SwitchTo a pool"] = trace => Leave(trace, async note =>
        {
            await trace.Pool.SwitchTo();
            note();
        }),
    };
}
