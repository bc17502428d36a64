using System.IO.Pipes;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>The option's handler takes what a timer or a descriptor's handler threw: the batch continues after it (T132).</summary>
public sealed class LoopEventExceptionTests : GuardedLoopTest
{
    [Fact]
    public void T132_TimersOfOneBatch_EachFiresOnce()
    {
        const int timers = 100;
        var fired = new int[timers];
        using var all = new CountdownEvent(timers);
        Loop.Call(() =>
        {
            for (int i = 0; i < timers; i++)
            {
                int number = i;
                new EventLoopTimer(
                    Loop,
                    _ =>
                    {
                        fired[number]++;
                        all.Signal();
                        throw new InvalidOperationException($"{number}");
                    },
                    null).Arm(TimeSpan.Zero);
            }
        });
        Deadline.Wait(all);
        Loop.Call(() => { });
        Assert.All(fired, count => Assert.Equal(1, count));
        Assert.Equal(Enumerable.Range(0, timers).Select(i => $"{i}"), Taken);
    }

    [Fact]
    public void T132_ThePeriodicTimerThatThrows_FiresAgain()
    {
        using var fired = new CountdownEvent(5);
        EventLoopTimer timer = null!;
        Loop.Call(() =>
        {
            timer = new EventLoopTimer(
                Loop,
                _ =>
                {
                    if (fired.Signal())
                    {
                        timer.Cancel();
                    }

                    throw new InvalidOperationException();
                },
                null);
            timer.Arm(TimeSpan.Zero, TimeSpan.FromMilliseconds(1));
        });
        Deadline.Wait(fired);
        Loop.Call(() => { });
        Assert.Equal(5, Taken.Count);
    }

    [Fact]
    [NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
    public void T132_TheHandlerOfADescriptorThatThrows_IsToldAgain()
    {
        using var reader = new AnonymousPipeServerStream(PipeDirection.In);
        using var writer = new AnonymousPipeClientStream(PipeDirection.Out, reader.ClientSafePipeHandle);
        int told = 0;
        using var read = new ManualResetEventSlim();
        EventLoopRegistration registration = null!;
        registration = Loop.Call(() => Loop.Register(
            reader.SafePipeHandle,
            EventLoopInterest.Read,
            (_, _) =>
            {
                if (++told < 3)
                {
                    throw new InvalidOperationException();
                }

                registration.TryRead(new byte[1], out _);
                read.Set();
            },
            null));
        writer.Write([1]);
        Deadline.Wait(read);
        Assert.Equal((3, 2), Loop.Call(() => (told, Taken.Count)));
        registration.Dispose();
    }
}
