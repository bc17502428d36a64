using System.Runtime.CompilerServices;
using NativeThreading.Interop;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests;

/// <summary>T91: a native semaphore lives as long as a call on it runs, and no longer.</summary>
public sealed class LifoSemaphoreDisposeTests
{
    [Fact]
    public void T91_DisposedUnderAWaiter_TheWaiterEndsByItself()
    {
        var semaphore = new LifoSemaphore();
        LifoSemaphoreHandle handle = Handle(semaphore);
        bool taken = true;
        Race.Run(
            () => taken = semaphore.Wait(TimeSpan.FromSeconds(1)), // long enough for the other thread to come to its look
            () =>
            {
                Deadline.Until(() => NativeMethods.nth_lifo_semaphore_waiters(handle.DangerousGetHandle()) == 1);
                semaphore.Dispose();
                Assert.Throws<ObjectDisposedException>(() => semaphore.Release());
            });

        Assert.False(taken);
        Assert.True(handle.IsClosed);
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

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_handle")]
    private static extern ref LifoSemaphoreHandle Handle(LifoSemaphore semaphore);
}
