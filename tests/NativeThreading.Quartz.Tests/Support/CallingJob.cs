using Quartz;

namespace NativeThreading.Quartz.Tests.Support;

/// <summary>Calls what its data holds.</summary>
internal class CallingJob : IJob
{
    public const string Body = "body";

    public async ValueTask Execute(IJobExecutionContext context, CancellationToken cancellationToken) =>
        await ((Func<IJobExecutionContext, Task>)context.MergedJobDataMap[Body]!)(context);
}

/// <summary>The same on a pool of its own.</summary>
[RunOnNativeThreadPool("reports")]
internal sealed class ReportJob : CallingJob;
