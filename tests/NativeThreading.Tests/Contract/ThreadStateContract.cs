using System.Globalization;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>What an item did to its thread is undone before the thread serves another burst of work.</summary>
public abstract class ThreadStateContract<TPool> : PoolContract<TPool>
    where TPool : IPoolUnderTest, new()
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);

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
        int attempt = 0;
        Deadline.Until(() =>
        {
            // A pool may let a thread rest: more and more items at the same time need all that it has.
            Pool.WaitUntilQuiet();
            int items = Math.Min(++attempt, 8);
            var all = new CountdownEvent(items);
            Observation<(int Thread, T Seen)>[] next = [.. Enumerable.Range(0, items).Select(_ => new Observation<(int, T)>(() =>
            {
                var seen = (Environment.CurrentManagedThreadId, look());
                all.Signal();
                all.Wait(s_patience);
                return seen;
            }))];
            Array.ForEach(next, item => Pool.UnsafeQueueUserWorkItem(item.Observe, null));
            int found = Array.FindIndex(next, item => item.Result.Thread == thread);
            after = found >= 0 ? next[found].Result.Seen : default!;
            return found >= 0;
        }, "another item on the same thread");
        return (before, after);
    }
}

public sealed class NativePoolThreadState : ThreadStateContract<NativePoolUnderTest>;

public sealed class RuntimePoolThreadState : ThreadStateContract<RuntimePoolUnderTest>;

public sealed class SchedulerThreadState : ThreadStateContract<SchedulerUnderTest>;
