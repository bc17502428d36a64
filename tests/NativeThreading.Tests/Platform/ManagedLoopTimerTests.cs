using System.Runtime.InteropServices;
using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Platform;

/// <summary>The managed loop's timers, compared with a list that is sorted anew for each question.</summary>
public sealed unsafe class ManagedLoopTimerTests : IDisposable
{
    private const int Capacity = 64; // more than there are timers

    private readonly NativeEvent* _events = (NativeEvent*)NativeMemory.Alloc(Capacity, (nuint)sizeof(NativeEvent));
    private readonly long _begin = MonotonicClock.Now + (60L * 60 * 1_000_000_000); // so that no timer is due by the clock itself
    private ManagedEventLoop _loop = new();
    private readonly List<(long Deadline, long Order, ulong Token)> _model = [];
    private readonly Dictionary<ulong, long> _handles = [];
    private long _armings;
    private long _now;

    [Fact]
    public void T75_WhateverIsArmedMovedDisarmedAndReleased_FiresInTheModelsOrder()
    {
        for (int round = 0; round < Soak.Rounds(20); round++)
        {
            var random = new Random(round);
            _loop = new ManagedEventLoop();
            _handles.Clear();
            _now = 0;
            for (int step = 0; step < 2_000; step++)
            {
                Step(random);
                Assert.Equal(_model.Count == 0 ? MonotonicClock.Never : _begin + _model.Min(static timer => timer.Deadline), _loop.NextDeadline);
            }

            Fire(_now + 1_000);
            Assert.Empty(_model);
        }
    }

    [Fact]
    public void T74_DeadlineBeforeTheLastPoll_DoesNotOvertakeWhatIsDue()
    {
        Arm(1, 10);
        Arm(2, 10);
        Assert.Equal([1UL, 2], TakeDue(100));
        Arm(3, 200);
        Arm(4, 0); // counts as 100
        Arm(5, 50); // the same, and was armed later
        Arm(6, 100);
        Assert.Equal([4UL, 5, 6, 3], TakeDue(300));
    }

    public void Dispose() => NativeMemory.Free(_events);

    private void Step(Random random)
    {
        ulong token = (ulong)random.Next(60);
        switch (random.Next(10))
        {
            case < 6:
                Arm(token, _now + random.Next(100));
                break;
            case < 8:
                Assert.Equal(_model.RemoveAll(timer => timer.Token == token) == 1, _handles.TryGetValue(token, out long armed) && _loop.CancelTimer(armed) == 1);
                break;
            case 8 when _handles.Remove(token, out long handle):
                _model.RemoveAll(timer => timer.Token == token);
                Assert.InRange(_loop.CancelTimer(handle), 0, 1); // which is all that destroying a timer takes
                break;
            default:
                Fire(_now + random.Next(40));
                break;
        }
    }

    private void Arm(ulong token, long deadline)
    {
        if (!_handles.TryGetValue(token, out long handle))
        {
            _handles.Add(token, handle = _loop.CreateTimer(token));
        }

        Assert.Equal(0, _loop.ArmTimer(handle, _begin + deadline));
        _model.RemoveAll(timer => timer.Token == token);
        _model.Add((Math.Max(deadline, _now), _armings++, token));
    }

    /// <summary>Takes the timers that are due, and compares them with the model.</summary>
    private void Fire(long now)
    {
        _now = now;
        ulong[] expected = [.. _model.Where(timer => timer.Deadline <= now).Order().Select(static timer => timer.Token)];
        Assert.Equal(expected, TakeDue(now));
        _model.RemoveAll(timer => expected.Contains(timer.Token));
    }

    /// <summary>Polls at this time, and reads all events, as a loop does.</summary>
    private ulong[] TakeDue(long now)
    {
        Assert.Equal(0, _loop.Poll(_events, Capacity, timeoutNanoseconds: 0));
        var batch = new Span<NativeEvent>(_events, _loop.ReportTimers(_begin + now, Capacity));
        ulong[] tokens = [.. batch.ToArray().Select(static timer => timer.Token)];
        batch.Clear();
        return tokens;
    }
}
