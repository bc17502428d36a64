using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Platform;

/// <summary>The managed loop's timers, compared with a list that is sorted anew for each question.</summary>
public sealed class TimerHeapTests
{
    private TimerHeap _heap = new();
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
            _heap = new TimerHeap();
            _handles.Clear();
            _now = 0;
            for (int step = 0; step < 2_000; step++)
            {
                Step(random);
                Assert.Equal(_model.Count, _heap.Armed);
                Assert.Equal(_model.Count == 0 ? long.MaxValue : _model.Min(static timer => timer.Deadline), _heap.Next);
            }

            Fire(long.MaxValue - 1);
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

    [Fact]
    public void HandleThatWasReleased_IsNeverUsedAgain()
    {
        var handles = new HashSet<long>();
        for (int i = 0; i < 100; i++)
        {
            long handle = _heap.Create(token: 7);
            Assert.True(handle >= 0 && handles.Add(handle));
            _heap.Release(handle);
            Assert.All(handles, old => Assert.Null(_heap.Find(old)));
        }

        Assert.Null(_heap.Find(-1));
        Assert.Null(_heap.Find(1_000));
    }

    private void Step(Random random)
    {
        ulong token = (ulong)random.Next(60);
        switch (random.Next(10))
        {
            case < 6:
                Arm(token, _now + random.Next(100));
                break;
            case < 8:
                Assert.Equal(_model.RemoveAll(timer => timer.Token == token) == 1, _handles.ContainsKey(token) && _heap.Disarm(_heap.Find(_handles[token])!));
                break;
            case 8 when _handles.Remove(token, out long handle):
                _model.RemoveAll(timer => timer.Token == token);
                _heap.Disarm(_heap.Find(handle)!);
                _heap.Release(handle);
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
            _handles.Add(token, handle = _heap.Create(token));
        }

        _heap.Arm(_heap.Find(handle)!, deadline);
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

    private List<ulong> TakeDue(long now)
    {
        var tokens = new List<ulong>();
        while (_heap.TakeDue(now) is { } due)
        {
            tokens.Add(due.Token);
        }

        return tokens;
    }
}
