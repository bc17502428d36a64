namespace NativeThreading.Instrumentation;

/// <summary>One thread's generator, and what it decides at each point. The same in C: native/src/chaos.c.</summary>
internal sealed class ChaosThread
{
    private const int Scale = 4096;

    /// <summary>One pass in this many delays: usually, on a thread that is slow in this period, at the attacked point.</summary>
    private const int UsualOdds = 32, SlowOdds = 256, TargetOdds = 1536;

    [ThreadStatic]
    private static ChaosThread? t_current;

    private ulong _state;
    private int _period = -1;
    private uint _passes;
    private bool _isSlow;
    private long _nextSleep;

    private ChaosThread() => _state = ChaosRun.Mix(ChaosRun.Seed ^ ((ulong)ChaosRun.NextThread() << 32)) | 1;

    public static ChaosThread Current => t_current ??= new ChaosThread();

    /// <summary>Decides, and delays the thread or not.</summary>
    public void Pass(string name)
    {
        if (_passes++ % 16 == 0)
        {
            ChaosRun.TurnPeriod(Environment.TickCount64);
        }

        if (_period != ChaosRun.Period)
        {
            _period = ChaosRun.Period;
            _isSlow = Draw(4) == 0;
        }

        bool isTarget = ChaosRun.IsTarget(ChaosPoints.NumberOf(name));
        int odds = isTarget ? TargetOdds : _isSlow ? SlowOdds : UsualOdds;
        if (Draw(Scale) < (ulong)(odds * ChaosRun.Intensity / 100))
        {
            Delay(isTarget);
        }
    }

    /// <summary>Mostly a short delay. A thread sleeps for at most half of its time, or two thirds at the attacked point.</summary>
    private void Delay(bool isTarget)
    {
        ulong kind = Draw(16);
        if (isTarget ? kind >= 4 : kind == 15)
        {
            Sleep(isTarget);
        }
        else if (kind < 8)
        {
            Thread.Yield();
        }
        else
        {
            ChaosDelay.Spin(TimeSpan.FromMicroseconds(0.01 * (1 << (int)Draw(8)))); // 10 to 1280 ns
        }
    }

    private void Sleep(bool isTarget)
    {
        long now = ChaosDelay.Now;
        if (now < _nextSleep)
        {
            Thread.Yield();
            return;
        }

        int microseconds = Math.Min(50 << (int)Draw(6), ChaosRun.LongestSleep);
        ChaosDelay.Sleep(microseconds);
        long after = ChaosDelay.Now;
        _nextSleep = after + ((after - now) / (isTarget ? 2 : 1));
    }

    private ulong Draw(ulong below)
    {
        _state ^= _state << 13;
        _state ^= _state >> 7;
        _state ^= _state << 17;
        return (_state >> 20) % below;
    }
}
