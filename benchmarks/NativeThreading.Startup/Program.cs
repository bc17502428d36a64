using System.Diagnostics;
using System.Globalization;
using NativeThreading.Startup;

// What it prints is a moment and the CPU time until then. The clock is the machine's, so the parent process knows how long that took.
switch (args)
{
    case ["none"]:
        break;
    case ["items", "native", var items]:
        Items.RunOnOwnPool(int.Parse(items, CultureInfo.InvariantCulture));
        break;
    case ["items", "threadpool", var items]:
        Items.RunOnRuntimesPool(int.Parse(items, CultureInfo.InvariantCulture));
        break;
    case ["request", var side]:
        Web.Answer(onOwnPool: side == "native");
        break;
    default:
        throw new ArgumentException("none | items native|threadpool COUNT | request native|threadpool");
}

long now = Stopwatch.GetTimestamp();
Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{now} {Environment.CpuUsage.TotalTime.TotalNanoseconds:R}"));
Console.Out.Flush();
Environment.Exit(0); // the end is not timed
