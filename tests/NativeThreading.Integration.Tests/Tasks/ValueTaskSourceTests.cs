using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;
using NativeThreading.Tests.Support;

namespace NativeThreading.Integration.Tasks;

/// <summary>Sources of ValueTasks that libraries write themselves.</summary>
public sealed class ValueTaskSourceTests : PoolTest
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task T109_ManualResetSource_ResumesItsAwaiterOnThePool(bool asynchronously)
    {
        await Pool.StormAsync(Operations, async i =>
        {
            var source = new Source(asynchronously);
            ThreadPool.UnsafeQueueUserWorkItem(static state => state.source.Complete(state.i), (source, i), preferLocal: false);
            Assert.Equal(i, await source.Task);
            Trace.Note();
        });
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task ManualResetSource_CarriesExceptions()
    {
        await Pool.StormAsync(Operations, async i =>
        {
            var source = new Source(asynchronously: false);
            ThreadPool.UnsafeQueueUserWorkItem(static source => source.Fail(new InvalidTimeZoneException()), source, preferLocal: false);
            await Assert.ThrowsAsync<InvalidTimeZoneException>(async () => await source.Task);
            Trace.Note();
        });
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task T109_PooledStateMachines_ResumeOnThePool()
    {
        int[] numbers = await Pool.StormAsync(Operations, async i =>
        {
            int number = await Pooled(i);
            Trace.Note();
            return number;
        });
        Assert.Equal(Enumerable.Range(0, Operations), numbers);
        Trace.AssertOnThePool(2 * Operations);

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        async ValueTask<int> Pooled(int i)
        {
            await Elsewhere.CompleteAsync();
            Trace.Note();
            return i;
        }
    }

    [Fact]
    public async Task T109_AsyncEnumerables_ResumeOnThePoolAndAreDisposedThere()
    {
        await Pool.StormAsync(50, async _ =>
        {
            int expected = 0;
            await foreach (int i in Numbers())
            {
                Trace.Note();
                Assert.Equal(expected++, i);
                if (i == 9)
                {
                    break;
                }
            }

            Trace.Note();
        });
        Trace.AssertOnThePool(50 * (10 + 10 + 1 + 1));

        async IAsyncEnumerable<int> Numbers()
        {
            try
            {
                for (int i = 0; ; i++)
                {
                    await Elsewhere.CompleteAsync();
                    Trace.Note();
                    yield return i;
                }
            }
            finally
            {
                await Task.Yield();
                Trace.Note();
            }
        }
    }

    private sealed class Source : IValueTaskSource<int>
    {
        private ManualResetValueTaskSourceCore<int> _core;

        public Source(bool asynchronously) => _core.RunContinuationsAsynchronously = asynchronously;

        public ValueTask<int> Task => new(this, _core.Version);

        public void Complete(int result) => _core.SetResult(result);

        public void Fail(Exception exception) => _core.SetException(exception);

        public int GetResult(short token) => _core.GetResult(token);

        public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

        public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
            _core.OnCompleted(continuation, state, token, flags);
    }
}
