using System.Diagnostics;
using NativeThreading.SoakProgram.Loops;
using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Pools;
using NativeThreading.SoakProgram.Tracks;
using NativeThreading.SoakProgram.Watch;

namespace NativeThreading.SoakProgram;

/// <summary>What all tracks of a soak share.</summary>
internal sealed class SoakRun : IDisposable
{
    private int _handled;

    public SoakRun(SoakOptions options)
    {
        Options = options;
        Limits = new SoakLimits(options.Slow);
        Times = new PhaseTimes();
        Deadlines = new Deadlines(Clock, Times);
        Plan = new SoakPlan(options.Seed, PoolIngredients.All.Length, LoopIngredients.All.Length);
        Neighbours = [.. Enumerable.Range(0, 2).Select(number => new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = $"neighbour-{number}",
            MaxThreads = 2,
            IdleTimeout = TimeSpan.FromMilliseconds(200),
            UnhandledException = exception => Handle(exception, mayBeInterrupted: false),
        }))];
        Tally.Add("exceptions handled", 0); // counting takes a lock only the first time: exception filters must not be interrupted
        Bystander = new EventLoop(new EventLoopOptions { Name = "bystander" });
    }

    public SoakOptions Options { get; }

    public SoakLimits Limits { get; }

    public SoakPlan Plan { get; }

    public SoakClock Clock { get; } = new();

    public PhaseTimes Times { get; }

    public Deadlines Deadlines { get; }

    public Verdict Verdict { get; } = new();

    public Tally Tally { get; } = new();

    public RestGate Gate { get; } = new();

    /// <summary>Pools that live as long as the soak, for what happens between two pools.</summary>
    public NativeThreadPool[] Neighbours { get; }

    /// <summary>Loops that there are, for the report of a hang.</summary>
    public LoopRegistry Loops { get; } = new();

    /// <summary>A loop that lives as long as the soak.</summary>
    public EventLoop Bystander { get; }

    /// <summary>What an item threw and did not handle.</summary>
    public bool Handle(Exception exception, bool mayBeInterrupted)
    {
        if (exception is SoakException || (mayBeInterrupted && exception is ThreadInterruptedException))
        {
            Tally.Add("exceptions handled");
            if (exception is SoakException && Interlocked.Increment(ref _handled) % 16 == 0)
            {
                Stumble();
            }
        }
        else
        {
            Verdict.Fail($"an item threw {exception}");
        }

        return true;
    }

    /// <summary>A handler runs inside of an exception filter, and may have failures of its own.</summary>
    private static void Stumble()
    {
        try
        {
            throw new SoakException();
        }
        catch (SoakException)
        {
            // Its own.
        }
    }

    /// <summary>Waits for what another thread will bring about; the phase's deadline is what ends the wait where it does not.</summary>
    /// <returns>Whether it came; without a limit always.</returns>
    public bool Until(Func<bool> condition, TimeSpan? limit = null)
    {
        TimeSpan began = Clock.Now;
        for (int i = 0; !condition(); i++)
        {
            if (limit is { } most && Clock.Now - began > most)
            {
                return false;
            }

            if (i < 20)
            {
                Thread.Yield();
            }
            else
            {
                Thread.Sleep(1);
            }
        }

        return true;
    }

    /// <summary>Occupies the calling thread's processor.</summary>
    public static void Burn(int microseconds)
    {
        long began = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(began).TotalMicroseconds < microseconds)
        {
            Thread.SpinWait(10);
        }
    }

    public void Dispose()
    {
        Bystander.Dispose();
        foreach (NativeThreadPool pool in Neighbours)
        {
            pool.Dispose();
        }
    }
}
