using System.Runtime.InteropServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Interop;

/// <summary>T93: a native library that is missing, damaged or of another version: one clear exception, every time.</summary>
[BesideOthers]
public sealed class NativeLibraryLoadTests : IDisposable
{
    private const int Refused = 93;

    private readonly AlteredOutput _output = new();

    public void Dispose() => _output.Dispose();

    [Fact]
    public async Task T93_Unaltered_Works()
    {
        CommandLine.Result child = await _output.RunAsync(UseTheLibrary);
        Assert.True(child.ExitCode == 0, child.Output);
    }

    [Fact]
    public Task T93_Missing()
    {
        File.Delete(_output.NativeLibrary);
        return AssertRefusedAsync("was not found for", "Searched: ", "Reference the NativeThreading package");
    }

    [Fact]
    public async Task T93_Corrupt()
    {
        await File.WriteAllTextAsync(_output.NativeLibrary, "not a library");
        await AssertRefusedAsync("was found, but cannot be used for", $"Found: {_output.NativeLibrary}: ", "Replace it");
    }

    [Fact]
    public async Task T93_SomethingElseOfThatName()
    {
        await _output.ReplaceLibraryAsync("int something_else(void) { return 0; }");
        await AssertRefusedAsync("another one of that name", $"Found: {_output.NativeLibrary}. ", "Replace it");
    }

    [Fact]
    public async Task T93_OtherVersion()
    {
        await _output.ReplaceLibraryAsync("int nth_abi_version(void) { return 999; }");
        await AssertRefusedAsync("has ABI version 999", $"needs {NativeHeader.Constants["NTH_ABI_VERSION"]}", $"Found: {_output.NativeLibrary}. ", "Replace it");
    }

    private async Task AssertRefusedAsync(params string[] reasons)
    {
        CommandLine.Result child = await _output.RunAsync(UseTheLibrary);
        Assert.True(child.ExitCode == Refused, $"Exit code {child.ExitCode}\n{child.Output}");
        foreach (string part in (string[])[.. reasons, RuntimeInformation.RuntimeIdentifier])
        {
            Assert.Contains(part, child.Output, StringComparison.Ordinal);
        }

        // Whichever ways lead to a file, it is named once.
        Assert.All(
            child.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries),
            message => Assert.Equal(1, message.Split(_output.NativeLibrary).Length - 1));
    }

    /// <summary>In the child: every way in is refused with the same exception, also the second time.</summary>
    private static int UseTheLibrary()
    {
        Action[] ways =
        [
            static () => new NativeThreadPool().Dispose(),
            static () => _ = NativeThreadPool.Shared,
            static () => new LifoSemaphore().Dispose(),
            static () => new NativeThreadPool().Dispose(),
        ];
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

        return refused == ways.Length ? Refused : refused;
    }
}
