using NativeThreading;
using NativeThreading.Testing;
using Xunit;

namespace NativeThreading.Testing.Tests.Documentation;

/// <summary>The code of src/NativeThreading.Testing/README.md, run.</summary>
public sealed class PackageReadmeSnippets
{
    [Fact]
    public async Task Step()
    {
        // Your code takes an IWorkScheduler and a TimeProvider.
        static Task<string> GreetAsync(IWorkScheduler scheduler, TimeProvider time) => scheduler.Run(async () =>
        {
            await Task.Delay(TimeSpan.FromMinutes(5), time);
            return "hello";
        });

        var pool = new ManualThreadPool();
        Task<string> greeting = GreetAsync(pool, pool.Clock);

        pool.RunAll();                                              // up to the delay, on this thread
        Assert.False(greeting.IsCompleted);

        pool.RunFor(TimeSpan.FromMinutes(5));                       // takes no time
        Assert.Equal("hello", await greeting);
    }
}
