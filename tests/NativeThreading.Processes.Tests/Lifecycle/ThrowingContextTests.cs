using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Lifecycle;

/// <summary>
/// What a value-changed callback of an <see cref="AsyncLocal{T}"/> throws while a context is changed around an item ends the
/// process, as on the built-in pool: the framework ensures that, so that no item is lost after it (T138).
/// </summary>
public sealed class ThrowingContextTests
{
    public static TheoryData<string> Windows => [.. ThrowingContextChildren.Windows];

    [Theory, MemberData(nameof(Windows))]
    public async Task T138_CallbackThatThrowsAroundAnItem_EndsTheProcess(string window)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(
            ThrowingContextChildren.Run, (ThrowingContextChildren.WindowVariable, window));
        Assert.True(child.ExitCode == 134, child.ToString());
        Assert.Contains(ThrowingContextChildren.Message, child.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void T138_CallbackThatThrowsInsideAnItem_IsTheItemsFailure()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var local = new AsyncLocal<int>(static change =>
        {
            if (!change.ThreadContextChanged)
            {
                throw new FormatException();
            }
        });
        var group = new WorkGroup(pool, WorkGroupErrors.All);
        group.QueueRange(i => local.Value = i, [1, 2, 3]);
        Assert.Equal(3, Assert.Throws<AggregateException>(() => group.Wait(Deadline.Time)).InnerExceptions.Count);
    }
}
