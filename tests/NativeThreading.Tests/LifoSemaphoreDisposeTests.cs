using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests;

/// <summary>T91: a native semaphore lives as long as a call on it runs, and no longer.</summary>
public sealed class LifoSemaphoreDisposeTests
{
    [Fact]
    public void T91_DisposedUnderAWaiter_TheWaiterEndsByItself()
    {
        var semaphore = new LifoSemaphore();
        CoreSemaphore core = Core(semaphore);
        bool taken = true;
        Race.Run(
            () => taken = semaphore.Wait(TimeSpan.FromSeconds(1)), // long enough for the other thread to come to its look
            () =>
            {
                Deadline.Until(() => semaphore.WaiterCount == 1);
                semaphore.Dispose();
                Assert.Throws<ObjectDisposedException>(() => semaphore.Release());
            });

        Assert.False(taken);
        Assert.NotEqual(false, core.Native?.IsClosed); // the managed core has nothing to free
    }

    [Fact]
    public void T91_DisposedUnderFullLoad_EveryCallerSeesItAndNoneCrashes()
    {
        for (Budget budget = Budget.Of(500); budget.HasTime;)
        {
            var semaphore = new LifoSemaphore();
            void UntilDisposed(Action call) => Assert.Throws<ObjectDisposedException>((Action)(() =>
            {
                while (true)
                {
                    call();
                }
            }));

            Race.Run(
                () => UntilDisposed(() => semaphore.Release()),
                () => UntilDisposed(() => semaphore.TryWait()),
                () => UntilDisposed(() => semaphore.Wait(TimeSpan.FromMicroseconds(20))),
                () => UntilDisposed(() => _ = semaphore.CurrentCount),
                () =>
                {
                    Thread.SpinWait(20_000);
                    semaphore.Dispose();
                });
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_core")]
    private static extern ref CoreSemaphore Core(LifoSemaphore semaphore);
}
