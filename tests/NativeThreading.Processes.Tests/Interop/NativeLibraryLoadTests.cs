using System.Runtime.InteropServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Interop;

/// <summary>T93: a native library that is missing, damaged or of another version: the managed core and one clear warning, or, where the native
/// one was asked for, one clear exception, every time.</summary>
public sealed class NativeLibraryLoadTests : IDisposable
{
    private const int Refused = 93;
    private const int Native = 10;
    private const int Managed = 11;

    private readonly AlteredOutput _output = new();

    public void Dispose() => _output.Dispose();

    [Fact]
    public Task T93_Unaltered_RunsOnTheNativeCore() => AssertRunsAsync(Native, "", "The native library can be used.");

    [Fact]
    public async Task ManagedCore_IsAskedForByTheEnvironment_AndLoadsNoLibrary()
    {
        File.Delete(_output.NativeLibrary); // so no process can have loaded it
        await AssertRunsAsync(Managed, "managed", "NATIVETHREADING_CORE=managed selects it.");
    }

    [Fact]
    public async Task ManagedCore_IsAskedForByTheSwitch()
    {
        await _output.SetSwitchAsync(managed: true);
        await AssertRunsAsync(Managed, "", "The switch NativeThreading.ManagedCore=true selects it.");
    }

    [Fact]
    public async Task TheEnvironment_ComesBeforeTheSwitch()
    {
        await _output.SetSwitchAsync(managed: true);
        await AssertRunsAsync(Native, "native", "NATIVETHREADING_CORE=native selects it.");
    }

    [Fact]
    public async Task UnknownCore_IsRefused()
    {
        CommandLine.Result child = await _output.RunAsync(UseTheLibrary, "Managed");
        Assert.True(child.ExitCode == Refused, child.ToString());
        Assert.Contains("NATIVETHREADING_CORE must be 'native' or 'managed', but was 'Managed'.", child.Output, StringComparison.Ordinal);
    }

    [Fact]
    public Task T93_Missing()
    {
        File.Delete(_output.NativeLibrary);
        return AssertUnusableAsync("was not found for", "Searched: ", "Reference the NativeThreading package");
    }

    [Fact]
    public async Task T93_Missing_AndTheSwitchAsksForIt()
    {
        File.Delete(_output.NativeLibrary);
        await _output.SetSwitchAsync(managed: false);
        await AssertRefusedAsync("", "was not found for", "The switch NativeThreading.ManagedCore=false requires the native core.");
    }

    [Fact]
    public async Task T93_Corrupt()
    {
        await File.WriteAllTextAsync(_output.NativeLibrary, "not a library");
        await AssertUnusableAsync("was found, but cannot be used for", $"Found: {_output.NativeLibrary}: ", "Replace it");
    }

    [Fact]
    public async Task T93_Empty()
    {
        await File.WriteAllTextAsync(_output.NativeLibrary, "");
        await AssertUnusableAsync("was found, but cannot be used for", $"Found: {_output.NativeLibrary}: ", "Replace it");
    }

    /// <summary>A copy that was interrupted: the system's loader would map what is not there.</summary>
    [Theory]
    [InlineData(0.1)]
    [InlineData(0.5)]
    public async Task T93_CutOff(double part)
    {
        _output.ShortenLibrary(part);
        await AssertUnusableAsync("was found, but cannot be used for", $"Found: {_output.NativeLibrary}: the file is truncated. ", "Replace it");
    }

    [Fact]
    public async Task T93_NotToBeRead()
    {
        _output.ForbidLibrary();
        await AssertUnusableAsync("was found, but cannot be used for", $"Found: {_output.NativeLibrary}: ", "Permission denied", "Replace it");
    }

    [Fact]
    public async Task T93_SomethingElseOfThatName()
    {
        await _output.ReplaceLibraryAsync("int something_else(void) { return 0; }");
        await AssertUnusableAsync("is a different library of the same name", $"Found: {_output.NativeLibrary}. ", "Replace it");
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(1)]
    public async Task T93_OlderOrNewerVersion(int later)
    {
        long needed = NativeHeader.Constants["NTH_ABI_VERSION"];
        await _output.ReplaceLibraryAsync($"int nth_abi_version(void) {{ return {needed + later}; }}");
        await AssertUnusableAsync($"has ABI version {needed + later}, ", $"needs {needed}. ", $"Found: {_output.NativeLibrary}. ", "Replace it");
    }

    /// <summary>Everything runs, and the event says on what, and why.</summary>
    private async Task AssertRunsAsync(int core, string asked, params string[] reasons)
    {
        CommandLine.Result child = await _output.RunAsync(UseTheLibrary, asked);
        Assert.True(child.ExitCode == core, child.ToString());
        string told = Assert.Single(child.Output.Split('\n'), static line => line.StartsWith("event ", StringComparison.Ordinal));
        Assert.All(reasons, part => Assert.Contains(part, told, StringComparison.Ordinal));
        Assert.StartsWith("event CoreChosen", told, StringComparison.Ordinal);
    }

    private async Task AssertUnusableAsync(params string[] reasons)
    {
        string[] parts = [.. reasons, RuntimeInformation.RuntimeIdentifier];
        CommandLine.Result child = await _output.RunAsync(UseTheLibrary);
        Assert.True(child.ExitCode == Managed, child.ToString());
        string told = Assert.Single(child.Output.Split('\n'), static line => line.StartsWith("event ", StringComparison.Ordinal));
        Assert.StartsWith("event NativeCoreUnusable", told, StringComparison.Ordinal);
        Assert.All(parts, part => Assert.Contains(part, told, StringComparison.Ordinal));
        await AssertRefusedAsync("native", [.. parts, "NATIVETHREADING_CORE=native"]);
    }

    private async Task AssertRefusedAsync(string asked, params string[] reasons)
    {
        CommandLine.Result child = await _output.RunAsync(UseTheLibrary, asked);
        Assert.True(child.ExitCode == Refused, child.ToString());
        Assert.All(reasons, part => Assert.Contains(part, child.Output, StringComparison.Ordinal));

        // Whichever ways lead to a file, it is named once.
        Assert.All(
            child.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries),
            message => Assert.InRange(message.Split(_output.NativeLibrary).Length - 1, 0, 1));
    }

    /// <summary>In the child: every way in leads to the same core, or is refused with the same exception, also the second time.</summary>
    private static int UseTheLibrary()
    {
        Action[] ways =
        [
            static () => RunAnItem(new NativeThreadPool()),
            static () => _ = NativeThreadPool.Shared,
            static () => WakeAWaiter(new LifoSemaphore()),
            static () => RunACallback(new EventLoop()),
            static () => RunAnItem(new NativeThreadPool()),
        ];
        using var log = new CoreEvents();
        int refused = 0;
        foreach (Action way in ways)
        {
            try
            {
                way();
            }
            catch (PlatformNotSupportedException exception)
            {
                Console.WriteLine(exception.Message);
                refused++;
            }
        }

        log.Tell();
        return refused == ways.Length ? Refused : refused != 0 ? refused : NativeThreadPool.Core == ThreadingCore.Native ? Native : Managed;
    }

    private static void RunAnItem(NativeThreadPool pool)
    {
        using (pool)
        {
            Deadline.Wait(pool.Run(static () => { }));
        }
    }

    private static void RunACallback(EventLoop loop)
    {
        using (loop)
        {
            Deadline.Wait(loop.InvokeAsync(static () => { }));
        }
    }

    private static void WakeAWaiter(LifoSemaphore semaphore)
    {
        using (semaphore)
        {
            var waiter = new Thread(() => semaphore.Wait(Deadline.Time));
            waiter.Start();
            semaphore.Release();
            Deadline.Join(waiter);
        }
    }
}
