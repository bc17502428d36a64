using System.Globalization;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>What an item did to its thread is undone before the thread serves another burst of work.</summary>
public abstract class ThreadStateContract<TPool> : PoolContract<TPool>
    where TPool : IPoolUnderTest, new()
{
    [ThreadStatic]
    private static string? t_threadStatic;

    [Fact]
    public void T35_ThreadName_IsReset() =>
        AssertReset(static () => Thread.CurrentThread.Name, static () => Thread.CurrentThread.Name = "renamed by an item");

    [Fact]
    public void T35_BackgroundFlag_IsReset() =>
        AssertReset(static () => Thread.CurrentThread.IsBackground, static () => Thread.CurrentThread.IsBackground = false);

    [Fact]
    public void T35_Priority_IsReset() =>
        AssertReset(static () => Thread.CurrentThread.Priority, static () => Thread.CurrentThread.Priority = ThreadPriority.AboveNormal);

    [Fact]
    public void T35_Culture_IsReset() =>
        AssertReset(
            static () => CultureInfo.CurrentCulture.NumberFormat.NumberDecimalSeparator,
            static () =>
            {
                var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
                culture.NumberFormat.NumberDecimalSeparator = "!";
                CultureInfo.CurrentCulture = culture;
            });

    [Fact]
    public void T35_ThreadStatics_AreNotReset()
    {
        (string? _, string? after) = BeforeAndAfter(static () => t_threadStatic, static () => t_threadStatic = "kept");
        Assert.Equal("kept", after);
    }

    private void AssertReset<T>(Func<T> look, Action change)
    {
        (T before, T after) = BeforeAndAfter(look, change);
        Assert.Equal(before, after);
    }

    /// <summary>What the item before the change and the next one on the same thread saw.</summary>
    private (T Before, T After) BeforeAndAfter<T>(Func<T> look, Action change)
    {
        using var changed = new Observation<(int Thread, T Seen)>(() =>
        {
            var seen = (Environment.CurrentManagedThreadId, look());
            change();
            return seen;
        });
        Pool.UnsafeQueueUserWorkItem(changed.Observe, null);
        (int thread, T before) = changed.Result;

        T after = default!;
        Deadline.Until(() =>
        {
            Pool.WaitUntilQuiet();
            using var next = new Observation<(int Thread, T Seen)>(() => (Environment.CurrentManagedThreadId, look()));
            Pool.UnsafeQueueUserWorkItem(next.Observe, null);
            after = next.Result.Seen;
            return next.Result.Thread == thread;
        }, "another item on the same thread");
        return (before, after);
    }
}

public sealed class NativePoolThreadState : ThreadStateContract<NativePoolUnderTest>;

public sealed class RuntimePoolThreadState : ThreadStateContract<RuntimePoolUnderTest>;

public sealed class SchedulerThreadState : ThreadStateContract<SchedulerUnderTest>;
