using System.Diagnostics;
using NativeThreading.Tables.Harness;
using Quartz;

namespace NativeThreading.Tables.Jobs;

/// <summary>One run of the table, in a process of its own.</summary>
internal static class JobRuns
{
    public const string Empty = "empty";
    public const string Blocking = "blocking/p99";
    public const string Idle = "idle";

    /// <summary>The endpoint without jobs.</summary>
    public const string Alone = "alone";

    public const int AtOnce = 20;
    private const int Burst = 2_000;

    public static readonly TimeSpan BlockTime = TimeSpan.FromMilliseconds(300);
    public static readonly string[] Sides = [Contender.Native, Contender.ThreadPool];

    public static Sample Once(string run, TimeSpan time)
    {
        string side = run[(run.LastIndexOf('/') + 1)..];
        Task<Sample> sample = run switch
        {
            Alone => AnswerAsync(Contender.ThreadPool, jobs: false, time),
            _ when run == $"{Empty}/{side}" => FireAsync(side, time),
            _ when run == $"{Blocking}/{side}" => AnswerAsync(side, jobs: true, time),
            _ when run == $"{Idle}/{side}" => IdleAsync(side, time),
            _ => throw new MeasurementException($"no run is named {run}."),
        };
        return sample.GetAwaiter().GetResult();
    }

    private static async Task<Sample> FireAsync(string side, TimeSpan time)
    {
        await using JobScheduler jobs = await JobScheduler.CreateAsync<EmptyJob>(side);
        await FireAsync(jobs.Scheduler); // compiles
        var rates = new List<double>();
        long fired = 0;
        TimeSpan cpu = TimeSpan.Zero;
        for (long began = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(began) < time;)
        {
            (TimeSpan took, TimeSpan used) = await FireAsync(jobs.Scheduler);
            rates.Add(Burst / took.TotalSeconds);
            cpu += used;
            fired += Burst;
        }

        return new Sample(Statistics.Median(rates), cpu.TotalNanoseconds / fired, null);
    }

    /// <summary>A burst that is due when the scheduler starts.</summary>
    private static async Task<(TimeSpan Took, TimeSpan Cpu)> FireAsync(IScheduler scheduler)
    {
        await scheduler.Standby();
        await JobScheduler.AddAsync(scheduler, Burst);
        EmptyJob.Done = new CountdownEvent(Burst);
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        long began = Stopwatch.GetTimestamp();
        await scheduler.Start();
        if (!EmptyJob.Done.Wait(TimeSpan.FromSeconds(60)))
        {
            throw new MeasurementException($"{EmptyJob.Done.CurrentCount} of {Burst} jobs did not run.");
        }

        return (Stopwatch.GetElapsedTime(began), Environment.CpuUsage.TotalTime - cpu);
    }

    private static async Task<Sample> AnswerAsync(string side, bool jobs, TimeSpan time)
    {
        await using var endpoint = await FastEndpoint.StartAsync();
        await using JobScheduler scheduler = await JobScheduler.CreateAsync<BlockingJob>(side);
        endpoint.Measure(TimeSpan.FromSeconds(1)); // compiles
        if (jobs)
        {
            await JobScheduler.AddAsync(scheduler.Scheduler, (int)(time / BlockTime + 2) * AtOnce);
            await scheduler.Scheduler.Start();
        }

        double p99 = endpoint.Measure(time);
        return new Sample(p99, null, null);
    }

    private static async Task<Sample> IdleAsync(string side, TimeSpan time)
    {
        await using JobScheduler jobs = await JobScheduler.CreateAsync<EmptyJob>(side);
        await jobs.Scheduler.Start();
        await jobs.Scheduler.ScheduleJob(JobBuilder.Create<EmptyJob>().Build(), TriggerBuilder.Create().StartAt(DateTimeOffset.UtcNow.AddHours(1)).Build());
        await Task.Delay(TimeSpan.FromSeconds(1));
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        await Task.Delay(time);
        return new Sample((Environment.CpuUsage.TotalTime - cpu).TotalMilliseconds / time.TotalSeconds, null, null);
    }

    internal sealed class EmptyJob : IJob
    {
        public static CountdownEvent Done { get; set; } = new(1);

        public ValueTask Execute(IJobExecutionContext context, CancellationToken cancellationToken)
        {
            Done.Signal();
            return default;
        }
    }

    internal sealed class BlockingJob : IJob
    {
        public ValueTask Execute(IJobExecutionContext context, CancellationToken cancellationToken)
        {
            Thread.Sleep(BlockTime);
            return default;
        }
    }
}
