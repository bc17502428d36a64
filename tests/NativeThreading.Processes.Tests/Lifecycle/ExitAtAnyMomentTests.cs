using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Lifecycle;

/// <summary>
/// A process ends while pools and loops are made, busy and shut down, at a moment drawn from a seed: by its own way, promptly,
/// without a crash (T40). A few by default, hundreds with NTH_SOAK=1.
/// </summary>
[Trait("Category", "Fault")]
public sealed partial class ExitAtAnyMomentTests
{
    private const string SeedVariable = "NTH_TEST_SEED";
    private const string WayVariable = "NTH_TEST_WAY";
    private const int Code = 42;

    private static readonly TimeSpan s_prompt = TimeSpan.FromSeconds(20); // a process that does not end is killed after a minute

    [Theory]
    [InlineData("Environment.Exit", Code)]
    [InlineData("Environment.Exit on a worker", Code)]
    [InlineData("Environment.Exit on a loop", Code)]
    [InlineData("return", 0)]
    [InlineData("FailFast", 134)]
    [InlineData("SIGTERM", 143)]
    public async Task T40_ProcessThatEndsAtAnyMoment_EndsPromptlyWithItsCode(string way, int code)
    {
        int first = Environment.TickCount;
        for (int i = 0; i < Soak.Rounds(2); i++)
        {
            string seed = (first + i).ToString(CultureInfo.InvariantCulture);
            ChildProcess.Result child = await ChildProcess.RunAsync(Child, (SeedVariable, seed), (WayVariable, way));
            Assert.True(child.ExitCode == code, $"{way}, {SeedVariable}={seed}: {child}");
            Assert.True(child.Elapsed < s_prompt, $"{way}, {SeedVariable}={seed}: {child}");
        }
    }

    private static int Child()
    {
        var random = new Random(int.Parse(Environment.GetEnvironmentVariable(SeedVariable)!, CultureInfo.InvariantCulture));
        string way = Environment.GetEnvironmentVariable(WayVariable)!;
        for (int i = 0; i < 3; i++)
        {
            new Thread(static () =>
            {
                while (true)
                {
                    try
                    {
                        Mixture.Round();
                        Mixture.BlockAndHeal();
                    }
                    catch (TimeoutException)
                    {
                        Environment.Exit(1); // a hang before the end is no end
                    }
                }
            }) { IsBackground = true }.Start();
        }

        // Around the first rounds' end everything is still being compiled and begins, later everything happens at once.
        long began = Stopwatch.GetTimestamp();
        TimeSpan moment = TimeSpan.FromMilliseconds(random.NextDouble() * random.NextDouble() * 1_500);
        while (Stopwatch.GetElapsedTime(began) < moment)
        {
            Thread.SpinWait(10);
            Thread.Yield();
        }

        switch (way)
        {
            case "Environment.Exit":
                return Code;
            case "return":
                return ChildProcess.ReturnFromMain;
            case "Environment.Exit on a worker":
                new NativeThreadPool().UnsafeQueueUserWorkItem(static _ => Environment.Exit(Code), null);
                break;
            case "Environment.Exit on a loop":
                new EventLoop().UnsafePost(static _ => Environment.Exit(Code), null);
                break;
            case "FailFast":
                Environment.FailFast("at any moment");
                break;
            case "SIGTERM":
                Assert.Equal(0, kill(Environment.ProcessId, 15));
                break;
        }

        Thread.Sleep(Timeout.Infinite);
        return 1;
    }

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int kill(int process, int signal);
}
