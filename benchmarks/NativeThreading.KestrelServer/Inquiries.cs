using System.Diagnostics;
using System.Globalization;
using System.Runtime;
using NativeThreading.Workloads;

namespace NativeThreading.KestrelServer;

/// <summary>The questions of the table to this process, apart from HTTP: one line of input, answered by one line. On a thread of its own, because a read from the
/// console blocks, and a pool of two threads would be half as large.</summary>
internal static class Inquiries
{
    /// <summary>Completes at the end of the input.</summary>
    public static Task AnswerAsync()
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        new Thread(() =>
        {
            while (Console.In.ReadLine() is string question)
            {
                Console.WriteLine($"answer {Answer(question)}");
                Console.Out.Flush();
            }

            ended.SetResult();
        })
        { IsBackground = true, Name = "inquiries" }.Start();
        return ended.Task;
    }

    private static string Answer(string question) => question switch
    {
        "usage" when ProcessUsage.Now() is ProcessUsage usage => string.Create(CultureInfo.InvariantCulture, $"{usage.CpuNanoseconds:0} {usage.Switches}"),
        "memory" => Memory(),
        _ => "unknown",
    };

    private static string Memory()
    {
        for (int i = 0; i < 3; i++) // finalizers let go of more
        {
            GCSettings.LargeObjectHeapCompactionMode = GCLargeObjectHeapCompactionMode.CompactOnce;
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            GC.WaitForPendingFinalizers();
        }

        using var self = Process.GetCurrentProcess();
        return string.Create(CultureInfo.InvariantCulture, $"{self.WorkingSet64} {GC.GetTotalMemory(forceFullCollection: false)}");
    }
}
