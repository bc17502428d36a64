using System.Diagnostics.CodeAnalysis;
using NativeThreading;
using NativeThreading.Testing;
using Xunit;

namespace NativeThreading.Testing.Tests.Documentation;

/// <summary>The code of src/NativeThreading.Testing/README.md, run.</summary>
public sealed class PackageReadmeSnippets
{
    [Fact]
    public void Step()
    {
        var pool = new ManualThreadPool();
        Task<string> greeting = GreetAsync(pool, pool.Clock);       // your code, which takes an IWorkScheduler and a TimeProvider

        pool.RunAll();                                              // up to its first wait, on this thread
        Assert.False(greeting.IsCompleted);

        pool.RunFor(TimeSpan.FromMinutes(5));                       // takes no time
        Assert.True(greeting.IsCompleted);
    }

    [SuppressMessage("Performance", "CA1859", Justification = "Taking the interface is what it shows.")]
    private static Task<string> GreetAsync(IWorkScheduler scheduler, TimeProvider time) => scheduler.Run(async () =>
    {
        await Task.Delay(TimeSpan.FromMinutes(5), time);
        return "hello";
    });
}
