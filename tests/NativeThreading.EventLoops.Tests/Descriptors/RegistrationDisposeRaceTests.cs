using NativeThreading.Tests.Support;
using static NativeThreading.EventLoops.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>A registration that another thread disposes of while the loop is about to call its handler, or calls it (T139).</summary>
public sealed class RegistrationDisposeRaceTests : DescriptorTest
{
    private readonly Pair _pair = Pair.OfSockets();
    private readonly ManualResetEventSlim _entered = new();
    private readonly ManualResetEventSlim _leave = new();

    protected override void Release()
    {
        _pair.Dispose();
        _entered.Dispose();
        _leave.Dispose();
    }

    [Fact]
    public void T139_DisposedBetweenTheFirstLookAndTheCall_TheHandlerDoesNotBegin()
    {
        // What the runtime calls when the handler's context is restored lies in just that gap.
        Thread? disposer = null;
        int started = 0;
        var local = new AsyncLocal<int>(change =>
        {
            if (change.ThreadContextChanged && Loop.IsInLoop && change.CurrentValue == 1 && disposer is not null)
            {
                _entered.Set();
                Deadline.Join(disposer);
            }
        });
        local.Value = 1;
        EventLoopRegistration registration = Loop.Register(_pair.Here, Read, (_, _) => started++, null);
        local.Value = 0;
        disposer = new Thread(() =>
        {
            Deadline.Wait(_entered);
            registration.Dispose();
        });
        disposer.UnsafeStart();
        _pair.There.Write(1);
        Deadline.Join(disposer);
        AwaitLook();
        Assert.Equal(0, started);
    }

    [Fact]
    public void T139_DisposedByAThreadThatTheHandlerWaitsFor_NobodyHangs()
    {
        EventLoopRegistration? registration = null;
        int started = 0;
        _pair.There.Write(1);
        OnLoop(() => registration = Loop.Register(
            _pair.Here,
            Read,
            (_, _) =>
            {
                started++;
                StartGate.Run(2, _ => registration!.Dispose());
                _entered.Set();
            },
            null));
        Deadline.Wait(_entered);
        AwaitLook();
        Assert.Equal(1, started);
    }

    [Fact]
    public void T139_AwaitedWhileTheHandlerDisposesItself_CompletesWhenTheHandlerHasEnded()
    {
        EventLoopRegistration? registration = null;
        bool hasEnded = false;
        _pair.There.Write(1);
        OnLoop(() => registration = Loop.Register(
            _pair.Here,
            Read,
            (_, _) =>
            {
                registration!.Dispose();
                Assert.True(registration.DisposeAsync().AsTask().IsCompleted); // it knows that it runs
                _entered.Set();
                Deadline.Wait(_leave);
                Volatile.Write(ref hasEnded, true);
            },
            null));
        Deadline.Wait(_entered);
        Task disposed = registration!.DisposeAsync().AsTask();
        Assert.False(disposed.IsCompleted);
        _leave.Set();
        Deadline.Wait(disposed);
        Assert.True(Volatile.Read(ref hasEnded));
    }

    [Fact]
    public void DisposedWithoutWaiting_WhileTheHandlerRuns_LetsItEndAndBeginsNoOther()
    {
        int started = 0;
        EventLoopRegistration registration = Loop.Register(
            _pair.Here,
            Read,
            (_, _) =>
            {
                started++;
                _entered.Set();
                Deadline.Wait(_leave);
            },
            null);
        _pair.There.Write(1);
        Deadline.Wait(_entered);
        Task disposed = registration.DisposeAsync().AsTask(); // the handler waits for this thread, which does not wait for it
        Assert.False(disposed.IsCompleted);
        _leave.Set();
        Deadline.Wait(disposed);
        AwaitLook();
        Assert.Equal(1, started);
    }

    [Fact]
    public void T139_HandlerThatThrows_HasEndedAndIsToldAgain()
    {
        EventLoopRegistration registration = Loop.Register(
            _pair.Here,
            Read,
            (_, _) =>
            {
                if (!_entered.IsSet)
                {
                    _entered.Set();
                    throw new InvalidOperationException("expected");
                }

                _leave.Set();
            },
            null);
        _pair.There.Write(1);
        Deadline.Wait(_leave);
        Deadline.Wait(registration.DisposeAsync().AsTask());
        Assert.Equal("expected", NextUnhandled().Message);
    }

    [Theory, CombinatorialBooleans]
    public void T139_DisposedAtAnyMoment_NoHandlerRunsBehindTheAwaitedForm_NorBeginsBehindTheOther(bool isAwaited)
    {
        int[] late = new int[Soak.Rounds(250)];
        foreach (int round in Soak.Repeat(250))
        {
            using var pair = Pair.OfSockets();
            pair.There.Write(1); // ready in each turn
            int own = round;
            int isOver = 0;
            int told = 0;
            EventLoopRegistration registration = Loop.Register(
                pair.Here,
                Read,
                (_, _) =>
                {
                    late[own] += Volatile.Read(ref isOver);
                    Volatile.Write(ref told, told + 1);
                    Thread.SpinWait(told % 20);
                    late[own] += isAwaited ? Volatile.Read(ref isOver) : 0;
                },
                null);
            int calls = round % 5;
            Deadline.Until(() => Volatile.Read(ref told) >= calls);
            Thread.SpinWait(round % 100);
            if (isAwaited)
            {
                Deadline.Wait(registration.DisposeAsync().AsTask());
            }
            else
            {
                registration.Dispose();
            }

            Volatile.Write(ref isOver, 1);
        }

        AwaitLook();
        Assert.All(late, count => Assert.InRange(count, 0, isAwaited ? 0 : 1)); // that call had started
    }
}
